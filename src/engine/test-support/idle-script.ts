import { decideTelemetry } from '../../backends/index.ts'
import { resolveOptions } from '../options/resolve-options.ts'
import { connectProcess } from '../pool/process-connection.ts'
import { connectWorker } from '../pool/worker-connection.ts'
import { startEngine } from '../start-engine.ts'
import { createFakeSource } from './fake-task.ts'

// An app that does one job and ends without disposing its engine. Arguments: URL of the worker, and "process" to have it in one.
decideTelemetry(false)
const options = resolveOptions({ backend: 'cpu', threads: 1 }, {})
const [url = '', place] = process.argv.slice(2)
const connect = place === 'process' ? connectProcess(new URL(url)) : connectWorker(new URL(url))
const engine = await startEngine(options, connect, createFakeSource())
const state = { name: 'a', steps: 2 }
const { model } = await engine.decide({ state, questions: { q: { type: 'noul', instructions: 'Yes?' } } })
process.stdout.write(model)
