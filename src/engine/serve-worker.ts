import { parentPort, workerData } from 'node:worker_threads'
import { createBackend } from '../backends/index.ts'
import { type CreateTaskSource, JobRunner } from './job-runner.ts'
import { guardBackend, NativeGate } from './native-gate.ts'
import type { ToWorker, WorkerData } from './protocol.ts'

/** Answers the messages of the thread that started this worker. */
export function serveWorker(createSource: CreateTaskSource): void {
  const port = parentPort
  if (port === null) throw new Error('this file is the worker of the engine; start it through createEngine()')
  const gate = new NativeGate((workerData as WorkerData).gate)
  const createGuarded: typeof createBackend = (settings) =>
    gate.pass(async () => {
      const choice = await createBackend(settings)
      return { ...choice, backend: guardBackend(choice.backend, gate) }
    })
  const runner = new JobRunner(createSource, createGuarded, (message) => port.postMessage(message))
  port.on('message', (message: ToWorker) => void runner.handle(message))
}
