import { Worker } from 'node:worker_threads'
import { InternalError } from '../../errors/index.ts'
import { locateOwn } from '../../models/find/locate-own.ts'
import type { MoreWanted, ParseAnswer, ParseJob } from './body-worker.ts'
import { type BodyKind, parseBody, type ParsedBytes } from './parse-body.ts'
import type { BodyLine } from './parse-lines.ts'

/** Bytes from which another thread reads a body; starting it and sending the value over costs more for less. */
const LARGE = 256 * 1000

/** A thread keeps the memory of the largest body it read; one that has nothing to do is ended. */
const IDLE_MS = 5000

interface Waiting {
  readonly worker: Worker
  /** Those of its lines that have come. */
  readonly lines: BodyLine[]
  resolve(parsed: ParsedBytes): void
  reject(error: unknown): void
}

/** Reads bodies: small ones at once, large ones on a thread of their own, one after another. */
export class BodyParser {
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #last = 0

  /** @param bytes Of a large body they are moved to the other thread, and gone here. */
  async parse(bytes: Uint8Array<ArrayBuffer>, kind: BodyKind): Promise<ParsedBytes> {
    if (bytes.byteLength < LARGE) return parseBody(bytes, kind)
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    const worker = this.#worker
    const id = ++this.#last
    try {
      return await new Promise<ParsedBytes>((resolve, reject) => {
        this.#waiting.set(id, { worker, lines: [], resolve, reject })
        worker.postMessage({ id, bytes, kind } satisfies ParseJob, [bytes.buffer])
      })
    } finally {
      this.#waiting.delete(id)
      if (this.#waiting.size === 0) this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref()
    }
  }

  /** Ends the thread; the next large body starts another. */
  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }

  #receive({ id, ...answer }: ParseAnswer): void {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return
    if (!('lines' in answer)) return waiting.resolve(answer)
    const { worker, lines } = waiting
    lines.push(...answer.lines)
    if (answer.isLast) return waiting.resolve({ value: lines })
    // All others are looked after before the next lines are read.
    setImmediate(() => worker.postMessage({ id } satisfies MoreWanted))
  }

  #start(): Worker {
    // Without the app's own flags and hooks, which are not meant for it.
    const worker = new Worker(locateWorker(), { execArgv: [], name: 'tessera-bodies' })
    worker.unref()
    worker.on('message', (answer: ParseAnswer) => this.#receive(answer))
    let failure: unknown
    worker.on('error', (error) => (failure = error))
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined
      const error = new InternalError('the thread that reads bodies ended', { cause: failure })
      // A thread that was ended for want of work takes a moment, in which the next one may have begun.
      for (const waiting of this.#waiting.values()) if (waiting.worker === worker) waiting.reject(error)
    })
    return worker
  }
}

/** The built package has the worker beside this code. From source it is the bundle that the test set-up makes. */
function locateWorker(): URL {
  return locateOwn(
    'body-worker.js',
    () =>
      new URL(import.meta.url.endsWith('.ts') ? '../../../out/body-worker.js' : './body-worker.js', import.meta.url),
  )
}
