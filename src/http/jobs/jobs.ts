import { EventEmitter } from 'node:events'
import { isDeepStrictEqual } from 'node:util'
import { OverloadedError, WorkerCrashedError } from '../../errors/index.ts'
import { conflict } from '../idempotency-key.ts'
import { openAdmission } from './admission.ts'
import { cancelElsewhere } from './cancel-elsewhere.ts'
import { Changes } from './changes.ts'
import { type TellFault, tellWhenOver } from './job-faults.ts'
import type { JobHandler, JobNotes } from './job-handler.ts'
import { NewsBoard } from './job-news.ts'
import { describeFailure, explainFailure, toFailure } from './job-outcome.ts'
import { JobResults, noJob, type WholeJob } from './job-results.ts'
import { createJobSteps } from './job-steps.ts'
import type { JobStore } from './job-store.ts'
import { JobTurns } from './job-turns.ts'
import { isOver, type Job, type JobView } from './job.ts'
import { keepShared } from './keep-shared.ts'
import { type JobOrder, makeJob, requestOf, withoutRequest } from './make-job.ts'
import { TakenOverError } from './taken-over-error.ts'
import type { Started, Underway } from './underway.ts'

export interface JobsParts {
  readonly store: JobStore
  /** Jobs of decisions that are worked on at a time, and of pictures. */
  readonly concurrency: number
  /** Bytes that results may take which clients have not read yet, where each is in memory of its own. */
  readonly mostUnread: number
  /** Called when a job is over. */
  readonly onEnded: (job: Job) => void
  readonly tellFault: TellFault
  /** @throws Refusal for an address that webhooks are not sent to */
  readonly checkWebhook: (address: string) => void
}

/** How often a job of another process is looked at. */
const POLL_MS = 500
/** A job whose processes all ended is the likely reason. */
const MOST_TAKEN_OVER = 2
const POISONED = 'every process that had this job ended'

const CLOSING = 'the server is shutting down; retry with backoff'

/** Requests that are answered while nobody waits for the response. */
export class Jobs {
  /** Jobs with their results, which `find`, `start` and `watch` leave out where they lie apart. */
  readonly results: JobResults
  readonly #parts: JobsParts
  readonly #turns: JobTurns
  readonly #underway = new Map<string, Underway>()
  readonly #news: NewsBoard
  readonly #changes = new EventEmitter().setMaxListeners(0)
  readonly #handlers = new Map<string, JobHandler>()
  readonly #stopKeeping: () => void
  #isClosed = false

  constructor(parts: JobsParts) {
    this.#parts = parts
    this.#turns = new JobTurns(parts.concurrency)
    this.results = new JobResults(parts.store, parts.mostUnread)
    this.#news = new NewsBoard(parts.store.shared)
    this.#stopKeeping = keepShared(parts.store.shared, {
      underway: () => [...this.#underway.keys()],
      resume: (job) => this.#resume(job),
      cancel: (id, reason) => this.#underway.get(id)?.controller.abort(reason),
    })
  }

  /** Says how the jobs of a route are answered. */
  handle(path: string, handler: JobHandler): void {
    this.#handlers.set(path, handler)
  }

  /** Jobs that this process answers, by status. */
  get counts(): { readonly queued: number; readonly running: number } {
    const running = [...this.#underway.values()].filter(({ job }) => job.status === 'running').length
    return { queued: this.#underway.size - running, running }
  }

  /**
   * Starts a job and waits until its request is admitted: checked, and paid for by what is set aside. One of the same
   * `Idempotency-Key` that is there already is found instead.
   *
   * @throws what refuses the request; Refusal (409) where the key was used for another one
   */
  async start(order: JobOrder, notes: JobNotes): Promise<Started> {
    if (this.#isClosed) throw new OverloadedError(CLOSING)
    if (order.webhook !== undefined) this.#parts.checkWebhook(order.webhook)
    const job = makeJob(order)
    const found = this.#underway.get(job.id)?.job ?? (await this.#parts.store.add(job))
    if (found && found.digest !== job.digest) throw conflict()
    if (found) {
      await this.#underway.get(found.id)?.accepted
      return { job: this.#view(found), ended: undefined }
    }
    const { accepted, ended } = this.#begin(job, notes)
    await accepted
    return { job: await this.find(job.account, job.id), ended }
  }

  /** @throws Refusal (404) where the account has no such job */
  async find(account: string, id: string): Promise<JobView> {
    const job = await this.results.find(id)
    if (job?.account === account) return this.#viewNow(job)
    throw noJob()
  }

  async list(account: string): Promise<JobView[]> {
    const jobs = await this.#parts.store.list(account)
    // Of jobs that wait there is no news.
    return Promise.all(jobs.map((job) => (job.status === 'running' ? this.#viewNow(job) : this.#view(job))))
  }

  /**
   * The job now and after each change, until it is over or removed.
   *
   * @throws Refusal (404); AbortedError when the signal fires; OverloadedError where this process ends before the job
   */
  async *watch(account: string, id: string, signal: AbortSignal): AsyncGenerator<JobView, void, undefined> {
    // Before the job is read, so that no change is missed.
    const changes = new Changes(this.#changes, id, signal)
    try {
      let view: JobView | undefined = await this.find(account, id)
      let seen: JobView | undefined
      while (view) {
        if (!isDeepStrictEqual(view, seen)) yield (seen = view)
        if (isOver(view)) return
        // A job of this process ends with it in a moment, or another process takes it over.
        if (this.#isClosed && !this.#underway.has(id)) throw new OverloadedError(CLOSING)
        await changes.next(this.#underway.has(id) ? undefined : POLL_MS)
        const job = await this.results.find(id)
        view = job && (await this.#viewNow(job))
      }
    } finally {
      changes.stop()
    }
  }

  /** Says that its owner has got the job as it is, which removes one that is kept until then. */
  async fetched({ id, keepMs, endedAt }: Job): Promise<void> {
    if (keepMs !== 0 || endedAt === undefined) return
    // Of one that was read late the id may be that of another try under its key by now.
    const there = await this.results.find(id).catch(() => undefined)
    // A store that does not say so in time may have removed it: whoever asks now is the last who gets it.
    if (there?.endedAt === endedAt) await this.#parts.store.remove(id).catch(() => {})
  }

  /**
   * Stops a job, which is not charged then; one that is over is removed.
   *
   * @returns what became of it: it may have succeeded a moment before
   * @throws Refusal (404), and as `results.take`
   */
  async cancel(account: string, id: string, signal: AbortSignal): Promise<WholeJob<JobView>> {
    const view = await this.find(account, id)
    if (isOver(view)) return this.results.take(view, signal)
    const underway = this.#underway.get(id)
    underway?.controller.abort()
    // One that this process leaves to others as it closes goes on there, and is stopped there.
    await underway?.ended
    await cancelElsewhere(this.#parts.store, this.results, id)
    return this.results.whole(await this.find(account, id), signal)
  }

  /** Stops all jobs; none of them is charged, but what was answered of batches. */
  async close(): Promise<void> {
    this.#isClosed = true
    const all = [...this.#underway.values()]
    for (const { controller } of all) controller.abort(new OverloadedError(CLOSING))
    await Promise.all(all.map(({ ended }) => ended))
    this.#stopKeeping()
  }

  #resume(job: Job): void {
    const { takenOver = 0 } = job
    const notes = { noteUnits: () => {}, noteTokens: () => {}, noteTimings: () => {} }
    const poisoned = takenOver >= MOST_TAKEN_OVER ? new WorkerCrashedError(POISONED) : undefined
    const underway = this.#begin({ ...job, status: 'queued', takenOver: takenOver + 1 }, notes)
    if (poisoned) underway.controller.abort(poisoned)
    void tellWhenOver(this.#parts.tellFault, underway, poisoned)
  }

  #view(job: Job, news = this.#news.own(job.id)): JobView {
    const place = isOver(job) ? undefined : this.#turns.placeOf(job.id)
    return { ...job, ...(place !== undefined && { place }), ...(!isOver(job) && news) }
  }

  /** With what other processes know. */
  async #viewNow(job: Job): Promise<JobView> {
    return this.#view(job, isOver(job) ? undefined : await this.#news.read(job.id))
  }

  #begin(job: Job, notes: JobNotes): Underway {
    const { dialect, answer } = this.#handlers.get(job.path)!
    const controller = new AbortController()
    const admission = openAdmission()
    // Its client was told long ago that it is a job.
    if (job.takenOver) admission.admit()
    const { steps, leave } = createJobSteps({
      job,
      turns: this.#turns,
      admission,
      onRunning: () => this.#change(underway, { status: 'running', startedAt: Date.now() }),
      onCleared: () => this.#change(underway, { takenOver: 0 }),
      tellFault: this.#parts.tellFault,
      news: this.#news,
      shared: this.#parts.store.shared,
      onNews: () => this.#changes.emit(job.id),
    })
    const fail = async (thrown: unknown) => {
      const isTaken = thrown instanceof TakenOverError
      // Whoever asked is told, and there is no job to ask for, unless another process has told somebody of it.
      if (admission.refuse(thrown) && !isTaken && (await this.#parts.store.withdraw(job))) return
      // A job whose outcome could not be written did not fail: whoever takes it over finds what was charged, and writes it.
      const isLeft = isTaken || this.#isClosed || isOver(underway.job)
      if (isLeft && this.#parts.store.shared) await this.#parts.store.shared.release(job.id)
      else await this.#change(underway, describeFailure(thrown, controller.signal, dialect))
    }
    // A microtask later, when it is known here.
    const ended = Promise.resolve()
      .then(() => answer(requestOf(job, this.#parts.store.shared !== undefined), steps, controller.signal, notes))
      .then((outcome) => this.#change(underway, outcome))
      .then(() => void admission.admit())
      .catch(async (thrown: unknown) => {
        const reason = explainFailure(thrown, controller.signal)
        // Where the store cannot be told of it, either, it is the reason still.
        await fail(reason).catch(() => {})
        return toFailure(reason)
      })
      .finally(() => {
        admission.close()
        leave()
        this.#underway.delete(job.id)
        this.#news.forget(job.id)
        this.#changes.emit(job.id)
      })
    const underway: Underway = { job, controller, accepted: admission.accepted, ended }
    this.#underway.set(job.id, underway)
    // The store was asked for it before this process closed, and answered after that.
    if (this.#isClosed) controller.abort(new OverloadedError(CLOSING))
    return underway
  }

  async #change(underway: Underway, change: Partial<Job>): Promise<void> {
    const job = { ...underway.job, ...change }
    underway.job = job
    const isWritten = await this.#parts.store.write(isOver(job) ? withoutRequest(job) : job)
    if (isWritten && isOver(job)) this.#parts.onEnded(job)
    this.#changes.emit(job.id)
  }
}
