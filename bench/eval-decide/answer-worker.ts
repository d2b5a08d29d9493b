import { parentPort, workerData } from 'node:worker_threads'
import { createCpuBackend } from '../../src/backends/index.ts'
import { openDecider } from '../../src/decide/index.ts'
import { openFolder } from '../../src/models/index.ts'
import type { WorkerTask } from './answer-in-workers.ts'
import { answerRows } from './answer-rows.ts'

/**
 * Answers its part of every group of files, on one thread, and posts the groups in their order. Products are computed in float32 on every
 * processor, so that the figures of a card can be had again on another one.
 */
const { model, groups, settings, part } = workerData as WorkerTask
const backend = { ...(await createCpuBackend({ threads: 1 })), fastInt8: false }
const decider = await openDecider({ backend, files: openFolder(model) })
for (const files of groups) parentPort?.postMessage(await answerRows(decider, files, settings, part))
await decider.dispose()
await backend.dispose()
