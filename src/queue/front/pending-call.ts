import type { ListeningOptions } from '../../engine/calls/call-options.ts'
import type { CallTimings, Progress } from '../../engine/index.ts'
import {
  type ErrorJson,
  errorFromJSON,
  InternalError,
  type TesseraError,
  WorkerCrashedError,
} from '../../errors/index.ts'
import { serverFault } from '../../http/server-fault.ts'
import type { Preview } from '../../jobs/preview.ts'
import { tell, warnOf } from '../../jobs/tell.ts'
import type { ModelQueue } from '../queue-names.ts'
import type { Outcome, QueuedData, QueuedKind } from '../queued-call.ts'
import type { Sealer } from '../sealer.ts'

/** A call that was made here and is not over. */
export class PendingCall {
  readonly id: string
  readonly kind: QueuedKind
  readonly data: QueuedData
  readonly options: ListeningOptions
  readonly ended: Promise<unknown>
  /** Where it waits; undefined before it is there. */
  queue: ModelQueue | undefined
  /** Whether its client owes the queue a round for it, which it was not served in. */
  owesRound = false
  /** Whether a worker has it, as far as is known here. */
  isStarted = false
  isOver = false
  /** Whether it ended by what was thrown here, so that a worker may go on with it. */
  hasFailedHere = false
  /** Whether it is being looked after. */
  isChecked = false
  /** Times that it was put into the queue again. */
  restored = 0
  readonly #since = performance.now()
  #resolve: (response: unknown) => void = () => {}
  #reject: (error: unknown) => void = () => {}

  constructor(id: string, kind: QueuedKind, data: QueuedData, options: ListeningOptions) {
    this.id = id
    this.kind = kind
    this.data = data
    this.options = options
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // Whoever made the call is told by `submit`.
    this.ended.catch(() => {})
  }

  /** A worker has it, so that its round was served. It may be put back. */
  start(): void {
    this.isStarted = true
    this.owesRound = false
  }

  /** Ends it with what came of it. */
  end(sealed: string, sealer: Sealer): void {
    if (this.isOver) return
    this.start()
    try {
      const outcome = JSON.parse(sealer.open(sealed, this.id)) as Outcome
      this.#tell(outcome.timings)
      if (this.isOver) return
      if ('error' in outcome) return this.reject(this.#toError(outcome.error))
      this.isOver = true
      this.#resolve(outcome.response)
    } catch (cause) {
      this.reject(new WorkerCrashedError('its answer cannot be opened with the keys that are known here', { cause }))
    }
  }

  reject(error: unknown): void {
    this.isOver = true
    this.#reject(error)
  }

  show(sealed: string, sealer: Sealer): void {
    if (this.isOver) return
    try {
      const preview = JSON.parse(sealer.open(sealed, this.id)) as Preview
      tell(this.options.onPreview, preview, this.#fail)
    } catch (error) {
      this.#fail(error)
    }
  }

  report(progress: Progress): void {
    if (!this.isOver) tell(this.options.onProgress, progress, this.#fail)
  }

  /** A call that is over can't be ended with what the caller's code throws. */
  readonly #fail = (error: unknown): void => {
    if (this.isOver) return warnOf(error)
    this.hasFailedHere = true
    this.reject(error)
  }

  /** Of a fault of the worker the cause stays there. */
  #toError(json: ErrorJson): TesseraError {
    const error = errorFromJSON(json)
    if (!serverFault(error)) return error
    const cause = new InternalError(`the worker of the call ${this.id} failed; its log says why, under this id`)
    return errorFromJSON({ ...json, cause: cause.toJSON() })
  }

  /** The clock of the worker is another: the wait is what the work leaves of the time that passed here. */
  #tell(timings: CallTimings | undefined): void {
    if (timings === undefined) return
    const queueMs = Math.max(0, performance.now() - this.#since - timings.computeMs)
    tell(this.options.onTimings, { ...timings, queueMs }, this.#fail)
  }
}
