import { parentPort, workerData } from 'node:worker_threads'
import { createBackend } from '../../backends/index.ts'
import { picturesOf } from '../calls/picture-sources.ts'
import type { Broken, FromWorker, ToWorker, WorkerData } from '../pool/protocol.ts'
import { freeBuffers } from './free-buffers.ts'
import { type CreateTaskSource, JobRunner } from './job-runner.ts'
import { guardBackend, NativeGate } from './native-gate.ts'

const BROKEN: Broken = {
  type: 'broken',
  reason: 'it could not load its code, as too many files are open; raise the limit of the process (ulimit -n)',
}

/** Answers the messages of the thread or process that started this worker. */
export function serveWorker(createSource: CreateTaskSource): void {
  if (parentPort !== null) return serveThread(parentPort, createSource)
  if (process.send === undefined)
    throw new Error('this file is the worker of the engine; start it through createEngine()')
  serveProcess(createSource)
}

function serveThread(port: NonNullable<typeof parentPort>, createSource: CreateTaskSource): void {
  const gate = new NativeGate((workerData as WorkerData).gate)
  const createGuarded: typeof createBackend = (settings) =>
    gate.pass(async () => {
      const choice = await createBackend(settings)
      return { ...choice, backend: guardBackend(choice.backend, gate) }
    })
  const runner = new JobRunner(
    createSource,
    createGuarded,
    (message) => port.postMessage(message),
    () => port.postMessage(BROKEN),
  )
  port.on('message', async (message: ToWorker) => {
    await runner.handle(message)
    // Pictures of a request are this thread's own: moved here, or copied on the way.
    if (message.type === 'run') freeBuffers(picturesOf(message))
  })
}

function serveProcess(createSource: CreateTaskSource): void {
  // Where the app has ended meanwhile there is nobody to tell; `disconnect` ends this process.
  const post = (message: FromWorker | Broken) => void process.send!(message, () => {})
  const runner = new JobRunner(createSource, createBackend, post, () => post(BROKEN))
  process.on('message', (message) => void runner.handle(message as ToWorker))
  // The app decides when its work ends: a terminal or a service manager signals both processes.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  process.on('disconnect', () => process.exit())
  process.on('uncaughtException', ({ name }) => {
    // The message is left out: what a parser throws, for one, quotes its input.
    process.stderr.write(`tessera-onnx: the worker threw ${name}\n`)
    process.exit(1)
  })
}
