import type { BatchSteps } from '../jobs/job-handler.ts'
import type { BatchResult } from './batch-wire.ts'

/** Lines that were answered in such a time are kept in one piece: each for itself would be a command of its own. */
const KEEP_AFTER_MS = 1000

/** Answered lines of a batch, kept on the way for a process that takes the batch over. */
export class KeptResults {
  readonly #steps: Pick<BatchSteps, 'keepPart' | 'readParts'>
  #unkept: BatchResult[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

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

  add(result: BatchResult): void {
    this.#unkept.push(result)
    this.#timer ??= setTimeout(() => this.#write(), KEEP_AFTER_MS).unref()
  }

  /** Keeps all that was answered until now, for another process. */
  async leave(): Promise<void> {
    this.#write()
    await this.#writing
  }

  /** Nothing is kept from here on: the batch is over, and what was kept is about to be removed. */
  async end(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#writing
  }

  #write(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const results = this.#unkept
    this.#unkept = []
    if (results.length === 0) return
    const keep = () => this.#steps.keepPart(JSON.stringify(results))
    // Where the store is away these lines are computed again by whoever takes the batch over, and not charged again.
    this.#writing = this.#writing.then(keep).catch(() => {})
  }
}
