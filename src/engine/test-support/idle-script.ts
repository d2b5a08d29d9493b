import { decideTelemetry } from '../../backends/index.ts'
import { resolveOptions } from '../resolve-options.ts'
import { startEngine } from '../start-engine.ts'
import { connectWorker } from '../worker-connection.ts'
import { createFakeSource } from './fake-task.ts'

// An app that does one job and ends without disposing its engine. Its argument is the URL of the worker.
decideTelemetry(false)
const options = resolveOptions({ backend: 'cpu', threads: 1 }, {})
const engine = await startEngine(options, connectWorker(new URL(process.argv[2] ?? '')), createFakeSource())
const state = { name: 'a', steps: 2 }
const { model } = await engine.decide({ state, questions: { q: { type: 'noul', instructions: 'Yes?' } } })
process.stdout.write(model)
