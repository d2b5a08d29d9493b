/// <reference lib="es2024.sharedmemory" />
import type { Backend, DeviceSession, Session } from '../../backends/index.ts'
import { withSessions } from '../../backends/with-sessions.ts'
import type { BuiltGraph } from '../../onnx/built-graph.ts'

// Cells of the shared memory.
const CALLS = 0
const CLOSED = 1
/** A worker that died inside a call never leaves it; the process must be able to end all the same. */
const LONGEST_EXIT_MS = 60_000

/**
 * Keeps a worker from being stopped inside native code. onnxruntime's binding, when its thread is terminated during a
 * call, throws where nothing can catch, and that aborts the whole process; this happens with `worker.terminate()` and
 * with `process.exit()` alike. Both sides share two numbers: the calls under way, and whether new ones may start.
 */
export class NativeGate {
  readonly memory: SharedArrayBuffer
  readonly #cells: Int32Array<SharedArrayBuffer>

  constructor(memory = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory
    this.#cells = new Int32Array(memory)
  }

  /** The worker's side does a call, or waits forever once the gate is closed, for the thread is about to end. */
  async pass<T>(call: () => Promise<T>): Promise<T> {
    Atomics.add(this.#cells, CALLS, 1)
    try {
      if (Atomics.load(this.#cells, CLOSED) === 0) return await call()
    } finally {
      Atomics.sub(this.#cells, CALLS, 1)
      Atomics.notify(this.#cells, CALLS)
    }
    return new Promise(() => {})
  }

  /** The other side lets no call start any more and resolves when none is under way. */
  async close(): Promise<void> {
    Atomics.store(this.#cells, CLOSED, 1)
    for (let calls = this.#countCalls(); calls > 0; calls = this.#countCalls()) {
      await Atomics.waitAsync(this.#cells, CALLS, calls).value
    }
  }

  /** The same while the process exits, when nothing asynchronous runs any more. */
  closeSync(): void {
    Atomics.store(this.#cells, CLOSED, 1)
    const end = performance.now() + LONGEST_EXIT_MS
    for (let calls = this.#countCalls(); calls > 0; calls = this.#countCalls()) {
      const left = end - performance.now()
      if (left <= 0) return
      Atomics.wait(this.#cells, CALLS, calls, left)
    }
  }

  #countCalls(): number {
    return Atomics.load(this.#cells, CALLS)
  }
}

/** The same backend, with every call into native code going through the gate. */
export function guardBackend(backend: Backend, gate: NativeGate): Backend {
  const guardSession = (session: Session): Session => ({
    ...session,
    run: (feeds, outputs) => gate.pass(() => session.run(feeds, outputs)),
    dispose: () => gate.pass(() => session.dispose()),
  })
  const guardDeviceSession = (session: DeviceSession): DeviceSession => ({
    ...session,
    run: (feeds) => gate.pass(() => session.run(feeds)),
    free: (results) => gate.pass(() => session.free(results)),
    dispose: () => gate.pass(() => session.dispose()),
  })
  const { createDeviceSession } = backend
  return withSessions(backend, {
    createSession: (model: BuiltGraph) => gate.pass(async () => guardSession(await backend.createSession(model))),
    ...(createDeviceSession && {
      createDeviceSession: (model: BuiltGraph) =>
        gate.pass(async () => guardDeviceSession(await createDeviceSession(model))),
    }),
    dispose: () => gate.pass(() => backend.dispose()),
  })
}
