import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BatchSteps } from '../jobs/job-handler.ts'
import type { BatchResult } from './batch-wire.ts'

/** Lines that were answered in such a time are kept in one piece: each for itself would be a command of its own. */
const KEEP_AFTER_MS = 1000
/** So many are kept sooner. */
const PART_LINES = 16
/** So many answered lines that are not kept hold up those that follow. */
const MOST_UNKEPT = 32

/** A process has begun fewer lines than this that are not kept: whoever answers one too many waits, and begins none. */
export const mostBegun = (linesAtOnce: number): number => MOST_UNKEPT + linesAtOnce

/** Answered lines of a batch, kept on the way for a process that takes the batch over. */
export class KeptResults {
  readonly #steps: Pick<BatchSteps, 'keepPart' | 'readParts'>
  #unkept: BatchResult[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<boolean> | undefined

  constructor(steps: Pick<BatchSteps, 'keepPart' | 'readParts'>) {
    this.#steps = steps
  }

  /** What was answered before this process had the batch. @throws StoreUnavailableError */
  async read(): Promise<BatchResult[]> {
    const parts = await this.#steps.readParts()
    const results = parts.flatMap((part) => JSON.parse(part) as BatchResult[])
    // A part whose command broke off and was sent again is there twice.
    return [...new Map(results.map((result) => [result.line, result])).values()]
  }

  /** Resolves when another line may be begun. */
  async add(result: BatchResult, signal: AbortSignal): Promise<void> {
    this.#unkept.push(result)
    if (this.#unkept.length >= PART_LINES) void this.#write()
    else this.#writeSoon()
    while (this.#unkept.length >= MOST_UNKEPT && !signal.aborted) {
      if (await untilStopped(this.#write(), signal)) continue
      // The store is away, and asked again.
      await sleep(KEEP_AFTER_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** Keeps all that was answered until now, for another process. */
  async leave(): Promise<void> {
    await this.#writing
    await this.#write()
    await this.end()
  }

  /** Nothing is kept from here on: the batch is another's, or over, and what was kept is about to be removed. */
  async end(): Promise<void> {
    this.#unkept = []
    clearTimeout(this.#timer)
    await this.#writing
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => void this.#write(), KEEP_AFTER_MS).unref()
  }

  /**
   * One piece after another; where one is on its way, that one.
   *
   * @returns whether it was kept
   */
  #write(): Promise<boolean> {
    return (this.#writing ??= this.#keep().finally(() => {
      this.#writing = undefined
    }))
  }

  async #keep(): Promise<boolean> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const results = [...this.#unkept]
    if (results.length === 0) return true
    try {
      await this.#steps.keepPart(JSON.stringify(results))
      this.#unkept.splice(0, results.length)
      return true
    } catch {
      // Whoever takes the batch over while the store is away computes them again, and does not charge them again.
      return false
    } finally {
      if (this.#unkept.length > 0) this.#writeSoon()
    }
  }
}

/** The same, or false once the signal fires: a store that is away may not answer for long. */
async function untilStopped(work: Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  const over = new AbortController()
  const stopped = once(signal, 'abort', { signal: over.signal }).then(
    () => false,
    () => false,
  )
  try {
    return await Promise.race([work, stopped])
  } finally {
    over.abort()
  }
}
