import { Worker } from 'node:worker_threads'
import { abortedBy } from '../../errors/aborted-by.ts'
import { InternalError } from '../../errors/index.ts'
import { locateOwn } from '../find/locate-own.ts'
import type { QuantizedRows } from './quantize-rows.ts'
import { type MatrixSlice, measureSlice, quantizeSlice, type SliceTask } from './quantize-slice.ts'
import type { RoundingError } from './rounding-error.ts'

interface Waiting {
  /** Takes what the thread posts, which is what its task asks for. */
  resolve(result: unknown): void
  reject(error: unknown): void
}

interface Thread {
  readonly worker: Worker
  /** Slices that it has not answered yet, the oldest first. */
  readonly waiting: Waiting[]
  /** Why it answers nothing more, once it has ended. */
  failure?: InternalError
}

/** Quantises slices of matrices on several threads, or on the caller's where there is one only. */
export class SliceQuantizer {
  /** Slices that may wait at once: one that a thread works on and one that it goes on with. */
  readonly capacity: number
  readonly #threads: readonly Thread[]
  readonly #signal: AbortSignal | undefined
  readonly #abort = () => void this.#end(abortedBy(this.#signal))

  constructor(threads: number, signal?: AbortSignal) {
    this.capacity = threads > 1 ? 2 * threads : 1
    this.#threads = threads > 1 ? startThreads(threads) : []
    this.#signal = signal
    signal?.addEventListener('abort', this.#abort, { once: true })
  }

  /** Undefined where a value is not finite. @throws AbortedError as soon as the signal fires */
  quantize(slice: MatrixSlice): Promise<QuantizedRows | undefined> {
    return this.#work({ kind: 'quantize', slice }, quantizeSlice)
  }

  /** What whole rows of 8 bits would do to it. Undefined where a value is not finite. @throws AbortedError likewise */
  measure(slice: MatrixSlice): Promise<RoundingError | undefined> {
    return this.#work({ kind: 'measure', slice }, measureSlice)
  }

  #work<Result>(task: SliceTask, work: (slice: MatrixSlice) => Result): Promise<Result> {
    if (this.#signal?.aborted) return Promise.reject(abortedBy(this.#signal))
    const [first, ...others] = this.#threads
    if (first === undefined) return new Promise((resolve) => void resolve(work(task.slice)))
    const least = others.reduce((a, b) => (b.waiting.length < a.waiting.length ? b : a), first)
    if (least.failure !== undefined) return Promise.reject(least.failure)
    return new Promise((resolve, reject) => {
      least.waiting.push({ resolve: (result) => resolve(result as Result), reject })
      least.worker.postMessage(task)
    })
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#abort)
    await this.#end(new InternalError('quantising ended before this slice'))
  }

  async #end(reason: Error): Promise<void> {
    for (const { waiting } of this.#threads) for (const { reject } of waiting.splice(0)) reject(reason)
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()))
  }
}

/** All of them, or none where one cannot be started. */
function startThreads(count: number): Thread[] {
  const threads: Thread[] = []
  try {
    while (threads.length < count) threads.push(startThread())
    return threads
  } catch (error) {
    for (const { worker } of threads) void worker.terminate()
    throw error
  }
}

function startThread(): Thread {
  // Without the app's own flags and hooks, which are not meant for it.
  const worker = new Worker(locateWorker(), { execArgv: [], name: 'tessera-quantize' })
  const thread: Thread = { worker, waiting: [] }
  worker.on('message', (result: unknown) => thread.waiting.shift()?.resolve(result))
  let cause: unknown
  worker.on('error', (error) => (cause = error))
  worker.on('exit', () => {
    thread.failure = new InternalError('a thread that quantises ended', { cause })
    for (const { reject } of thread.waiting.splice(0)) reject(thread.failure)
  })
  return thread
}

/** The built package has the worker beside this code. From source it is the bundle that the test set-up makes. */
function locateWorker(): URL {
  return locateOwn(
    'quantize-worker.js',
    () =>
      new URL(
        import.meta.url.endsWith('.ts') ? '../../../out/quantize-worker.js' : './quantize-worker.js',
        import.meta.url,
      ),
  )
}
