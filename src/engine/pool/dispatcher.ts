import { abortedBy, throwIfAborted } from '../../errors/aborted-by.ts'
import {
  EngineDisposedError,
  errorFromJSON,
  OverloadedError,
  TesseraError,
  toTesseraError,
  WorkerCrashedError,
} from '../../errors/index.ts'
import { warnOf } from '../../jobs/tell.ts'
import type { ListeningOptions, LoadOptions } from '../calls/call-options.ts'
import { buffersOf } from '../calls/picture-sources.ts'
import type { CallKind, Calls } from '../jobs.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'
import { SignalListeners } from '../signal-listeners.ts'
import { type EngineActivity, ModelCounts } from './activity.ts'
import type { Connect, Connection } from './connection.ts'
import { createJob, endJob, type Job, tellJob } from './job.ts'
import { KeptModels } from './kept-models.ts'
import { type Lane, Lanes } from './lane.ts'
import type { BackendInfo, FromWorker, News, ToWorker } from './protocol.ts'
import { toRunMessage } from './run-message.ts'

/** Calls that wait in front of one that would rather be refused, where `maxQueue` is not set. */
const SERVICE_QUEUE = 64
/** The options of loads that nobody called for: models that are to stay open come back however many calls wait. */
const OWN: ListeningOptions = {}

/** The calling side of an engine: a bounded queue in front of a connection that runs some jobs at a time. */
export class Dispatcher {
  readonly #connect: Connect
  readonly #options: ResolvedOptions
  readonly #lanes = new Lanes()
  readonly #models = new ModelCounts()
  readonly #signals = new SignalListeners()
  /** Models that are to stay open here. */
  readonly kept = new KeptModels(
    (name) => this.submit('load', name, { keepOpen: true }, OWN),
    (name) => !this.#disposal && this.#connection?.post({ type: 'release', model: name }),
  )
  #lastId = 0
  #connection: Connection | undefined
  #starting: Promise<BackendInfo> | undefined
  #endStart: ((outcome: BackendInfo | TesseraError) => void) | undefined
  #info: BackendInfo | undefined
  #failed = false
  #disposal: Promise<void> | undefined

  constructor(connect: Connect, options: ResolvedOptions) {
    this.#connect = connect
    this.#options = options
  }

  /** What runs now, or ran until the last crash. Undefined before the first start. */
  get info(): BackendInfo | undefined {
    return this.#info
  }

  /** Whether the last start failed. The next call tries again. */
  get failed(): boolean {
    return this.#failed
  }

  /** Calls that run or wait. */
  get size(): number {
    return this.#lanes.running + this.#lanes.waiting
  }

  get activity(): EngineActivity {
    return {
      waiting: this.#lanes.waiting,
      running: this.#lanes.running,
      models: this.#models.list(),
      missing: this.kept.missing,
    }
  }

  /** Connects unless connected. Rejects when the other end can't create its backend or ends before it has. */
  start(): Promise<BackendInfo> {
    this.#starting ??= new Promise<BackendInfo>((resolve, reject) => {
      this.#endStart = (outcome) => {
        this.#endStart = undefined
        this.#failed = outcome instanceof Error
        if (!(outcome instanceof Error)) return resolve(outcome)
        this.#starting = undefined
        reject(outcome)
      }
      try {
        this.#connection = this.#connect({
          onMessage: (message) => this.#receive(message),
          onCrash: (reason, cause) => this.#afterCrash(new WorkerCrashedError(reason, { cause })),
        })
        this.#connection.post({ type: 'start', settings: this.#options.settings })
      } catch (cause) {
        // The start ends a microtask later, when this promise is known as the one that ended.
        const error = TesseraError.isInstance(cause)
          ? cause
          : new WorkerCrashedError('it could not be started, see `cause`', { cause })
        queueMicrotask(() => this.#endStart?.(error))
      }
    })
    return this.#starting
  }

  submit<Kind extends CallKind>(
    kind: Kind,
    model: string,
    request: Calls[Kind]['request'],
    options: ListeningOptions = {},
  ): Promise<Calls[Kind]['response']> {
    return new Promise((resolve, reject) => {
      const { signal, client = '', whenBusy } = options
      const id = ++this.#lastId
      const message = toRunMessage({ id, kind, model, request }, options, this.#options)
      if (this.#disposal) throw new EngineDisposedError()
      throwIfAborted(signal)
      const lane = this.#lanes.of(kind)
      const places = whenBusy === 'refuse' ? SERVICE_QUEUE : Number.POSITIVE_INFINITY
      const most = this.#options.maxConcurrent + (this.#options.maxQueue ?? places)
      if (options !== OWN && !lane.hasRoom(client, most)) throw new OverloadedError()
      let stopListening = () => {}
      const job = createJob(message, options, {
        resolve: (response) => {
          stopListening()
          resolve(response as Calls[Kind]['response'])
        },
        reject: (error) => {
          stopListening()
          reject(error)
        },
      })
      const abort = () => this.#abandon(job, abortedBy(signal))
      stopListening = this.#signals.add(signal, abort)
      lane.waiting.add(job)
      this.#advance()
    })
  }

  /** Opens a model and has it answer once; one that is kept open is opened again where the worker ends. */
  async load(name: string, { keepOpen = false, ...options }: LoadOptions = {}): Promise<void> {
    await this.submit('load', name, { keepOpen }, options)
    if (keepOpen) this.kept.add(name)
  }

  /** Rejects everything pending and closes the connection. Safe to call twice. */
  dispose(): Promise<void> {
    this.#disposal ??= this.#close()
    return this.#disposal
  }

  async #close(): Promise<void> {
    const error = new EngineDisposedError()
    this.kept.clear()
    this.#endStart?.(error)
    this.#rejectRunning(error)
    this.#rejectWaiting(error)
    await this.#connection?.close()
  }

  #advance(): void {
    if (this.#disposal) return
    if (this.#connection === undefined || this.#endStart !== undefined) {
      // Waiting jobs are served when the start is over; if it fails, they have no one to wait for.
      if (this.#lanes.waiting > 0) this.start().catch((error: TesseraError) => this.#rejectWaiting(error))
      return
    }
    const connection = this.#connection
    for (const lane of this.#lanes.all) this.#post(lane, connection)
    connection.setBusy(this.#lanes.running > 0)
  }

  /** Has all begin that may. */
  #post(lane: Lane, connection: Connection): void {
    const { maxConcurrent } = this.#options
    for (let job = lane.next(maxConcurrent); job !== undefined; job = lane.next(maxConcurrent)) {
      lane.running.set(job.message.id, job)
      try {
        connection.post(job.message as ToWorker, buffersOf(job.message))
      } catch (error) {
        // What is no plain data does not reach the other end, which would never answer.
        lane.running.delete(job.message.id)
        job.reject(toTesseraError(error))
      }
    }
  }

  #receive(message: FromWorker): void {
    if (message.type === 'started') {
      this.#info = message.info
      this.#endStart?.(message.info)
    } else if (message.type === 'start-failed') {
      void this.#connection?.close()
      this.#connection = undefined
      // Whoever waits for this start is told by its promise; nothing is left to advance.
      return this.#endStart?.(errorFromJSON(message.error))
    } else if (message.type === 'model') {
      return this.#models.note(message)
    } else if (message.type !== 'forgotten') {
      const lane = this.#lanes.with(message.id)
      const job = lane?.running.get(message.id)
      if (message.type === 'progress' || message.type === 'preview') return job && this.#tell(job, message)
      lane?.running.delete(message.id)
      if (job) endJob(job, message)
      if (message.type === 'error' && message.spent !== undefined) {
        // Nothing is given to it any more, what waits neither: that goes to the next one.
        this.#connection?.close().catch(() => {})
        return this.#afterCrash(new WorkerCrashedError(message.spent))
      }
    }
    this.#advance()
  }

  #tell(job: Job, news: News): void {
    // A call that is over can't be ended with it.
    tellJob(job, news, (error) => (this.#lanes.with(job.message.id) ? this.#abandon(job, error) : warnOf(error)))
  }

  #abandon(job: Job, error: unknown): void {
    job.reject(error)
    job.listeners = {}
    job.isAbandoned = true
    if (!this.#lanes.of(job.message.kind).waiting.remove(job))
      this.#connection?.post({ type: 'abort', id: job.message.id })
  }

  #afterCrash(error: WorkerCrashedError): void {
    this.#connection = undefined
    this.#models.lose()
    if (this.#endStart) return this.#endStart(error)
    this.#starting = undefined
    this.#rejectRunning(error)
    this.kept.lose()
    this.#advance()
  }

  #rejectRunning(error: TesseraError): void {
    for (const { running } of this.#lanes.all) {
      for (const job of running.values()) job.reject(error)
      running.clear()
    }
  }

  #rejectWaiting(error: unknown): void {
    for (const { waiting } of this.#lanes.all) {
      for (let job = waiting.take(); job !== undefined; job = waiting.take()) job.reject(toTesseraError(error))
    }
  }
}
