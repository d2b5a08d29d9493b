import { Worker, type WorkerOptions } from 'node:worker_threads'
import { decideTelemetry, plugAndPlayFlags } from '../../backends/index.ts'
import { decodingTurns } from '../worker/decoding-turn.ts'
import { NativeGate } from '../worker/native-gate.ts'
import { type Connect, hear } from './connection.ts'
import type { Broken, FromWorker, WorkerData } from './protocol.ts'
import { startAllowed } from './start-allowed.ts'
import { locateWorker } from './worker-file.ts'

/** Gates of the workers that run; closed when the process exits, by one listener however many there are. */
const gates = new Set<NativeGate>()

function closeGates(): void {
  for (const gate of gates) gate.closeSync()
}

/** Runs jobs in a worker thread of its own. */
export function connectWorker(url?: URL, options: Pick<WorkerOptions, 'resourceLimits'> = {}): Connect {
  return ({ onMessage, onCrash }) => {
    const file = locateWorker(url)
    // This thread decides, as the worker will have only a copy of the environment that onnxruntime reads.
    decideTelemetry(false)
    const gate = new NativeGate()
    const workerData: WorkerData = { gate: gate.memory, decodingTurns }
    // The worker gets none of the app's own flags but those of Plug'n'Play: with --input-type it refuses to start from a file, it cannot be given V8's
    // (--max-old-space-size, --expose-gc), which hold for the whole process anyway, and hooks of --import are not meant for it.
    const worker = startAllowed(
      () => new Worker(file, { ...options, execArgv: plugAndPlayFlags(), workerData, name: 'tessera' }),
      'start the app with --allow-worker, or the engine with `worker: false`',
    )
    if (gates.size === 0) process.once('exit', closeGates)
    gates.add(gate)
    const exited = new Promise((resolve) => worker.once('exit', resolve))
    let open = true
    let failure: unknown
    const close = async () => {
      open = false
      worker.ref()
      // A worker that has died inside a native call would leave the gate waiting for it.
      await Promise.race([gate.close(), exited])
      await worker.terminate()
    }
    worker.on('message', (message: FromWorker | Broken) => {
      if (open) hear(message, { onMessage, onCrash }, close)
    })
    worker.on('error', (error) => (failure = error))
    worker.on('exit', (code) => {
      gates.delete(gate)
      if (gates.size === 0) process.off('exit', closeGates)
      if (!open) return
      open = false
      onCrash(describeExit(code, failure), failure)
    })
    return {
      post: (message, moved = []) => worker.postMessage(message, moved),
      setBusy: (busy) => (busy ? worker.ref() : worker.unref()),
      close,
    }
  }
}

function describeExit(code: number, failure: unknown): string {
  if (failure === undefined) return `it exited with code ${code}`
  const { name, code: errorCode, syscall } = failure as NodeJS.ErrnoException
  if (errorCode === 'ERR_WORKER_OUT_OF_MEMORY') return 'it ran out of memory'
  // Node asks for it before a thread begins.
  if (syscall === 'uv_cwd') return 'the working folder of the app is gone, without which none starts: change to another'
  // The message is left out: what a parser throws, for one, quotes its input.
  return `it threw ${name}, see \`cause\``
}
