import { randomUUID } from 'node:crypto'
import { EventEmitter, on } from 'node:events'
import type { Progress } from '../../engine/index.ts'
import { AbortedError, OverloadedError, type TesseraError, toTesseraError } from '../../errors/index.ts'
import type { Dialect } from '../error-response.ts'
import { Refusal } from '../refusal.ts'
import type { JobSteps } from '../route.ts'
import { conflict, digest } from '../usage/idempotent-requests.ts'
import { openAdmission } from './admission.ts'
import { describeFailure, describeResult } from './job-outcome.ts'
import type { JobStore } from './job-store.ts'
import { JobTurns } from './job-turns.ts'
import { isOver, type Job, type JobStatus, type JobView } from './job.ts'

export interface JobOrder {
  readonly account: string
  readonly path: string
  readonly dialect: Dialect
  readonly keepMs: number
  /** The `Idempotency-Key` of the request, and its SHA-256. */
  readonly keyed?: { readonly key: string; readonly digest: string } | undefined
}

/** Answers the request of a job, or throws why not. Its signal fires when the job is cancelled. */
export type Answer = (steps: JobSteps, signal: AbortSignal) => Promise<Response>

export interface JobsParts {
  readonly store: JobStore
  /** Jobs that are worked on at a time. */
  readonly concurrency: number
  /** Called when a job is over. */
  readonly onEnded: (status: JobStatus) => void
}

/** A job that this process answers. */
interface Underway {
  job: Job
  readonly controller: AbortController
  progress?: Progress
  /** Resolves when the request is admitted, rejects with why it is refused. */
  readonly accepted: Promise<void>
  /** Resolves when the job is over, with what went wrong. */
  readonly ended: Promise<TesseraError | undefined>
}

interface Started {
  readonly job: JobView
  /** Undefined where the job was there already. */
  readonly ended: Promise<TesseraError | undefined> | undefined
}

const CLOSING = 'the server is shutting down; retry with backoff'

/** Requests that are answered while nobody waits for the response. */
export class Jobs {
  readonly #parts: JobsParts
  readonly #turns: JobTurns
  readonly #underway = new Map<string, Underway>()
  readonly #changes = new EventEmitter().setMaxListeners(0)
  #isClosed = false

  constructor(parts: JobsParts) {
    this.#parts = parts
    this.#turns = new JobTurns(parts.concurrency)
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
  async start(order: JobOrder, answer: Answer): Promise<Started> {
    if (this.#isClosed) throw new OverloadedError(CLOSING)
    const job = makeJob(order)
    const found = await this.#parts.store.add(job)
    if (found && found.digest !== job.digest) throw conflict()
    if (found) {
      await this.#underway.get(found.id)?.accepted
      return { job: this.#view(found), ended: undefined }
    }
    const { accepted, ended } = this.#begin(job, order.dialect, answer)
    await accepted
    return { job: await this.find(job.account, job.id), ended }
  }

  /** @throws Refusal (404) where the account has no such job */
  async find(account: string, id: string): Promise<JobView> {
    const job = await this.#parts.store.read(id)
    if (job?.account === account) return this.#view(job)
    throw new Refusal(404, 'not_found', 'there is no such job: its id is unknown, or its result is no longer kept')
  }

  async list(account: string): Promise<JobView[]> {
    return (await this.#parts.store.list(account)).map((job) => this.#view(job))
  }

  /**
   * The job now and after each change, until it is over or removed.
   *
   * @throws Refusal (404); AbortedError when the signal fires
   */
  async *watch(account: string, id: string, signal: AbortSignal): AsyncGenerator<JobView, void, undefined> {
    // Before the job is read, so that no change is missed.
    const changes = on(this.#changes, id, { signal })
    try {
      let view: JobView | undefined = await this.find(account, id)
      while (view) {
        yield view
        if (isOver(view)) return
        await changes.next()
        const job = await this.#parts.store.read(id)
        view = job && this.#view(job)
      }
    } catch (error) {
      throw signal.aborted ? new AbortedError(undefined, { cause: error }) : error
    } finally {
      await changes.return?.()
    }
  }

  /** Says that its owner has got the job as it is, which removes one that is kept until then. */
  async fetched(job: Job): Promise<void> {
    if (job.keepMs === 0 && isOver(job)) await this.#parts.store.remove(job.id)
  }

  /**
   * Stops a job, which is not charged then; one that is over is removed.
   *
   * @returns what became of it: it may have succeeded a moment before
   * @throws Refusal (404)
   */
  async cancel(account: string, id: string): Promise<JobView> {
    const view = await this.find(account, id)
    if (isOver(view)) await this.#parts.store.remove(id)
    const underway = this.#underway.get(id)
    if (underway === undefined) return view
    underway.controller.abort()
    await underway.ended
    return this.find(account, id)
  }

  /** Stops all jobs; none of them is charged. */
  async close(): Promise<void> {
    this.#isClosed = true
    const all = [...this.#underway.values()]
    for (const { controller } of all) controller.abort(new OverloadedError(CLOSING))
    await Promise.all(all.map(({ ended }) => ended))
    await this.#parts.store.close()
  }

  #view(job: Job): JobView {
    const place = this.#turns.placeOf(job.id)
    const progress = this.#underway.get(job.id)?.progress
    return { ...job, ...(place !== undefined && { place }), ...(progress && !isOver(job) && { progress }) }
  }

  #begin(job: Job, dialect: Dialect, answer: Answer): Underway {
    const controller = new AbortController()
    const admission = openAdmission()
    let leave = () => {}
    const steps: JobSteps = {
      begin: async (signal) => {
        admission.admit()
        leave = await this.#turns.enter(job.id, job.account, signal)
        await this.#change(underway, { status: 'running', startedAt: Date.now() })
      },
      onProgress: (progress) => {
        underway.progress = progress
        this.#changes.emit(job.id)
      },
    }
    const fail = async (thrown: unknown) => {
      // Whoever asked is told, and there is no job to ask for.
      if (admission.refuse(thrown)) await this.#parts.store.remove(job.id)
      else await this.#change(underway, describeFailure(thrown, controller.signal, dialect))
      return toTesseraError(thrown)
    }
    const succeed = async (response: Response) => {
      await this.#change(underway, await describeResult(response))
      admission.admit()
      return undefined
    }
    const ended = answer(steps, controller.signal)
      .then(succeed)
      .catch(fail)
      .catch(toTesseraError)
      .finally(() => {
        admission.close()
        leave()
        this.#underway.delete(job.id)
        this.#changes.emit(job.id)
      })
    const underway: Underway = { job, controller, accepted: admission.accepted, ended }
    this.#underway.set(job.id, underway)
    return underway
  }

  async #change(underway: Underway, change: Partial<Job>): Promise<void> {
    const job = { ...underway.job, ...change }
    underway.job = job
    await this.#parts.store.write(job)
    if (isOver(job)) this.#parts.onEnded(job.status)
    this.#changes.emit(job.id)
  }
}

/** An id is no secret: only the account of a job is told of it. That of a key is the same for every try. */
function makeJob({ account, path, keepMs, keyed }: JobOrder): Job {
  const name = keyed ? digest(`${account}\n${keyed.key}`) : randomUUID().replaceAll('-', '')
  return {
    id: `job_${name.slice(0, 32)}`,
    account,
    path,
    keepMs,
    status: 'queued',
    createdAt: Date.now(),
    bytes: 0,
    ...(keyed && { digest: keyed.digest }),
  }
}
