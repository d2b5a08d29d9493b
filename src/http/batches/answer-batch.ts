import { setMaxListeners } from 'node:events'
import { nextTask } from '../../engine/worker/next-task.ts'
import { OverloadedError, type TesseraError } from '../../errors/index.ts'
import type { DecisionRequest, DecisionResponse } from '../../schemas/index.ts'
import type { BodyLine } from '../body/parse-lines.ts'
import type { DecisionService } from '../decisions/decision-service.ts'
import { createErrorBody, type Dialect } from '../error-response.ts'
import { askAgain } from '../jobs/ask-again.ts'
import type { BatchSteps, JobHandler, JobNotes } from '../jobs/job-handler.ts'
import { describeFailure, toFailure } from '../jobs/job-outcome.ts'
import type { Job, JobCounts, JobRequest } from '../jobs/job.ts'
import { JsonList } from '../json-bytes.ts'
import type { Refusal } from '../refusal.ts'
import type { Asking } from '../usage/charge-answer.ts'
import type { IdempotentRequests, KeyedRequest } from '../usage/idempotent-requests.ts'
import type { BatchResult } from './batch-wire.ts'
import { KeptResults, mostBegun } from './kept-results.ts'
import { type BatchLine, nameLines } from './read-line.ts'

/** Lines of one batch that wait for their turn or are answered. */
const LINES_AT_ONCE = 32
const TELL_EVERY_MS = 250

export interface BatchParts {
  readonly decisions: DecisionService
  readonly requests: IdempotentRequests
  /** Of the error of a batch; those of its lines have the dialect of decisions. */
  readonly dialect: Dialect
  parse(body: unknown): DecisionRequest
}

/** Answers the lines of a batch, each charged by itself. A batch that is stopped keeps what was answered. */
export function createBatchAnswer(parts: BatchParts): JobHandler['answer'] {
  return async (request, steps, signal, notes) => {
    const batch = new Batch(parts, request, { steps, signal, notes })
    const keyed = keyedOf(request)
    // A batch under the key of another is refused as a whole: each of its lines, which have keys of their own, would fail instead.
    const freeKey = keyed && !request.isTakenOver ? await parts.requests.keep(keyed) : undefined
    // The service closes: another process goes on with it, or its client is told so.
    const isClosed = () => OverloadedError.isInstance(signal.reason)
    if (isClosed() && !steps.isShared) {
      // Before it is a job, so that its client may ask another process at once.
      await freeKey?.()
      throw signal.reason
    }
    steps.admit()
    await batch.work().finally(async () => {
      if (batch.isCharged) await (keyed && parts.requests.keepOn(keyed))
      else if (!steps.isShared || !isClosed()) await freeKey?.()
    })
    if (isClosed()) {
      await batch.leave()
      throw signal.reason
    }
    await batch.end()
    return batch.outcome()
  }
}

interface Course {
  readonly steps: BatchSteps
  readonly signal: AbortSignal
  readonly notes: JobNotes
}

class Batch {
  readonly #parts: BatchParts
  readonly #request: JobRequest
  readonly #course: Course
  readonly #lines: readonly BatchLine[]
  readonly #kept: KeptResults
  readonly #results: BatchResult[] = []
  #succeeded = 0
  #units = 0
  #told = Number.NEGATIVE_INFINITY
  #checking = Promise.resolve()

  constructor(parts: BatchParts, request: JobRequest, course: Course) {
    this.#parts = parts
    this.#request = request
    this.#course = course
    this.#kept = new KeptResults(course.steps)
    this.#lines = nameLines((request.body as { readonly json: readonly BodyLine[] }).json)
  }

  /** Resolves when all lines are over, or the batch is stopped. */
  async work(): Promise<void> {
    const { steps, signal } = this.#course
    for (const result of await this.#kept.read()) this.#count(result)
    const known = new Set(this.#results.map(({ line }) => line))
    const left = this.#lines.filter(({ at }) => !known.has(at))
    // The line that ended the process before is among its begun ones, which are the first here, as those between them are kept.
    const suspects = new Set(left.slice(0, mostBegun(LINES_AT_ONCE)).map(({ at }) => at))
    const hasMore = left.length > suspects.size
    const lines = left.values()
    const workOn = async () => {
      for (const line of lines) {
        await this.#mayCheck()
        if (signal.aborted) return
        const result = await this.#answer(line).catch((thrown: unknown) => {
          if (!signal.aborted) throw thrown
        })
        if (result === undefined) return
        this.#count(result)
        // Where the store is away, the processes before this one count still.
        if (suspects.delete(line.at) && suspects.size === 0 && hasMore) void steps.countAnew().catch(() => {})
        this.#tell()
        await this.#kept.add(result, signal)
      }
    }
    // Each line listens to it, more than Node expects.
    setMaxListeners(0, signal)
    steps.onCounts(this.#counts(0))
    await Promise.all(Array.from({ length: LINES_AT_ONCE }, workOn))
  }

  /** Leaves the lines that are answered to whoever takes the batch over. */
  leave(): Promise<void> {
    return this.#kept.leave()
  }

  end(): Promise<void> {
    return this.#kept.end()
  }

  /** Lines are checked one by one, and all others looked after in between: each may take as long as a whole request. */
  #mayCheck(): Promise<void> {
    return (this.#checking = this.#checking.then(nextTask))
  }

  get isCharged(): boolean {
    return this.#succeeded > 0
  }

  outcome(): Partial<Job> {
    const { signal } = this.#course
    const left = this.#lines.length - this.#results.length
    const counts = this.#counts(left)
    if (left === 0) return { status: 'succeeded', endedAt: Date.now(), counts, ...writeResults(this.#results) }
    const failure = describeFailure(signal.reason, signal, this.#parts.dialect)
    // One that has nothing to fetch frees the key of the batch.
    return { ...failure, counts, ...(this.#results.length > 0 && writeResults(this.#results)) }
  }

  #counts(cancelled: number): JobCounts {
    const failed = this.#results.length - this.#succeeded
    return { total: this.#lines.length, succeeded: this.#succeeded, failed, cancelled }
  }

  #count(result: BatchResult): void {
    this.#results.push(result)
    if ('response' in result) this.#succeeded++
  }

  #tell(): void {
    if (performance.now() - this.#told < TELL_EVERY_MS) return
    this.#told = performance.now()
    this.#course.steps.onCounts(this.#counts(0))
  }

  /** @throws AbortedError */
  async #answer({ at, customId, ...line }: BatchLine): Promise<BatchResult> {
    const name = { custom_id: customId, line: at }
    const started = performance.now()
    if ('fault' in line) return { ...name, error: toWire(line.fault) }
    try {
      const request = this.#parts.parse(line.body)
      return { ...name, response: await askAgain(() => this.#decide(at, request), this.#course.signal) }
    } catch (thrown) {
      if (this.#course.signal.aborted) throw thrown
      const error = toFailure(thrown)
      const id = this.#course.steps.tellFault({ error, started, line: at })
      return { ...name, error: toWire(error), ...(id !== undefined && { request_id: id }) }
    }
  }

  async #decide(at: number, request: DecisionRequest): Promise<DecisionResponse> {
    const { steps, signal, notes } = this.#course
    const { caller, idempotencyKey } = this.#request
    let leave = () => {}
    let isOver = false
    const asking: Asking = {
      ...notes,
      caller,
      signal,
      retryCount: 0,
      // Whoever takes the batch over charges the lines that are not charged yet. No header of a client has a tab in its key.
      idempotencyKey: idempotencyKey === undefined ? undefined : `${idempotencyKey}\t${at}`,
      noteUnits: (units) => notes.noteUnits((this.#units += units)),
      job: {
        isHalf: true,
        onProgress: () => {},
        onPartial: () => {},
        begin: async (ended) => {
          leave = await steps.beginLine(ended)
          // Cancelled, a line is over at once, though its turn may still come.
          if (isOver) leave()
        },
      },
    }
    try {
      return await this.#parts.decisions.decide(request, asking)
    } finally {
      isOver = true
      leave()
    }
  }
}

function keyedOf({ caller, idempotencyKey: key, digest: body }: JobRequest): KeyedRequest | undefined {
  return key !== undefined && body !== undefined ? { account: caller.id, key, body } : undefined
}

function writeResults(results: readonly BatchResult[]): Pick<Job, 'result' | 'bytes'> {
  const result = JsonList.ofList(results)
  return { result, bytes: result.bytes.length }
}

function toWire(error: TesseraError | Refusal) {
  return { status: error.status, ...createErrorBody(error, 'systemone') }
}
