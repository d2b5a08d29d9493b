import { parentPort } from 'node:worker_threads'
import { type CreateTaskSource, JobRunner } from './job-runner.ts'
import type { ToWorker } from './protocol.ts'

/** Answers the messages of the thread that started this worker. */
export function serveWorker(createSource: CreateTaskSource): void {
  const port = parentPort
  if (port === null) throw new Error('this file is the worker of the engine; start it through createEngine()')
  const runner = new JobRunner(createSource, (message) => port.postMessage(message))
  port.on('message', (message: ToWorker) => void runner.handle(message))
}
