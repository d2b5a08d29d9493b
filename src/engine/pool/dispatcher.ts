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
import { FairQueue } from './fair-queue.ts'
import { createJob, endJob, type Job, tellJob } from './job.ts'
import { KeptModels } from './kept-models.ts'
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
  readonly #queue = new FairQueue<Job>()
  /** Jobs at the other end, by id. An aborted one stays until that end has let go of it. */
  readonly #running = new Map<number, Job>()
  readonly #models = new ModelCounts()
  readonly #signals = new SignalListeners()
  /** Models that are to stay open here. */
  readonly kept = new KeptModels(
    (name) => this.submit('load', name, { keepOpen: true }, OWN),
    (name) => !this.#disposal && this.#connection?.post({ type: 'release', model: name }),
  )
  readonly #runningClients = () => new Set(Array.from(this.#running.values(), ({ client }) => client))
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
    return this.#running.size + this.#queue.size
  }

  get activity(): EngineActivity {
    return {
      waiting: this.#queue.size,
      running: this.#running.size,
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
      const places = whenBusy === 'refuse' ? SERVICE_QUEUE : Number.POSITIVE_INFINITY
      if (options !== OWN && !this.#hasRoom(client, places)) throw new OverloadedError()
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
      this.#queue.add(job)
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

  /** Whether a call is taken. Who has none here is not refused because of the others': up to twice as many are taken. */
  #hasRoom(client: string, places: number): boolean {
    const most = this.#options.maxConcurrent + (this.#options.maxQueue ?? places)
    return this.size < most || (this.size < 2 * most && !this.#queue.has(client) && !this.#runningClients().has(client))
  }

  #advance(): void {
    if (this.#disposal) return
    if (this.#connection === undefined || this.#endStart !== undefined) {
      // Waiting jobs are served when the start is over; if it fails, they have no one to wait for.
      if (this.#queue.size > 0) this.start().catch((error: TesseraError) => this.#rejectWaiting(error))
      return
    }
    for (let job = this.#next(); job !== undefined; job = this.#next()) {
      this.#running.set(job.message.id, job)
      try {
        this.#connection.post(job.message as ToWorker, buffersOf(job.message))
      } catch (error) {
        // What is no plain data does not reach the other end, which would never answer.
        this.#running.delete(job.message.id)
        job.reject(toTesseraError(error))
      }
    }
    this.#connection.setBusy(this.#running.size > 0)
  }

  /** The job to start now. Who has none running need not wait for a place that others hold: up to twice as many may run. */
  #next(): Job | undefined {
    const { maxConcurrent } = this.#options
    if (this.#running.size < maxConcurrent) return this.#queue.take()
    if (this.#running.size >= 2 * maxConcurrent) return undefined
    const busy = this.#runningClients()
    return this.#queue.take((client) => !busy.has(client))
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
      const job = this.#running.get(message.id)
      if (message.type === 'progress' || message.type === 'preview') return job && this.#tell(job, message)
      this.#running.delete(message.id)
      if (job) endJob(job, message)
    }
    this.#advance()
  }

  #tell(job: Job, news: News): void {
    // A call that is over can't be ended with it.
    tellJob(job, news, (error) => (this.#running.has(job.message.id) ? this.#abandon(job, error) : warnOf(error)))
  }

  #abandon(job: Job, error: unknown): void {
    job.reject(error)
    job.listeners = {}
    job.isAbandoned = true
    if (!this.#queue.remove(job)) this.#connection?.post({ type: 'abort', id: job.message.id })
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
    for (const job of this.#running.values()) job.reject(error)
    this.#running.clear()
  }

  #rejectWaiting(error: unknown): void {
    for (let job = this.#queue.take(); job !== undefined; job = this.#queue.take()) job.reject(toTesseraError(error))
  }
}
