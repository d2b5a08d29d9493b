import { setTimeout as sleep } from 'node:timers/promises'
import { abortedBy } from '../../errors/aborted-by.ts'
import { OverloadedError } from '../../errors/index.ts'
import type { Progress } from '../../jobs/job-context.ts'
import { digest } from '../digest.ts'
import { Pace } from './pace.ts'

/** Clients that gave up after a time of their own try again within a second or two, and send their body again. */
const LINGER_MS = 10_000

/** How long an answer that nobody got waits for the client to ask once more. */
const KEPT_MS = 60_000

/** An engine may go on for long where it was told to stop. Less than the end of a service has for its last charges. */
const LET_GO_MS = 2500

/** Work that nobody waits for takes the time of others, so that there is little of it. */
const MOST_EACH = 4
const MOST = 16

/**
 * Official clients try three times, and wait as long as they are told in between. The second try is answered before it
 * gives up, so that the third one comes when there is an answer; one that told the third so would be the last.
 */
const TOLD_TRY = 1
/** Of the time after which the client gave up before. */
const TOLD_AFTER = 0.9
const NOT_YET = 'the answer is not ready yet; the same request, sent again then, gets it'

/** A request that may be sent again. */
export interface Asked {
  readonly account: string
  /** How often the client has sent it again by itself. */
  readonly retryCount: number
  /** Whether the same request joins it also while clients wait for it; else only where the last of them has gone. */
  readonly isShared: boolean
  /** Whether it goes on for a while when the last client has gone. */
  readonly mayLinger: boolean
  /** The request as text; asked only where there is work to be known again. */
  text(): string
}

/** Who waits for work. */
export interface Attendance {
  onProgress(progress: Progress): void
  /**
   * Called when the answer is made, before it is charged: resolves as soon as a client waits for it.
   *
   * @throws AbortedError where none comes
   */
  attended(): Promise<void>
}

/** Makes an answer, until it is told to end. */
type Begin<Answer> = (ended: AbortSignal, attendance: Attendance) => Promise<Answer>

interface Work {
  readonly account: string
  readonly done: Promise<unknown>
  readonly controller: AbortController
  readonly pace: Pace
  /** Clients that wait for it. */
  waiters: number
  /** SHA-256 of the request, where another one may be it. */
  digest?: string
  /** Milliseconds after which its last client gave up. */
  patience?: number
  /** Whether the answer is there, charged or not. */
  isMade?: boolean
  /** Whether a client was there for it, so that it is charged. */
  isTaken?: boolean
  hasFailed?: boolean
  timer?: NodeJS.Timeout
  /** Tells that a client has come. */
  come?: () => void
}

/**
 * Work on requests, and the clients that wait for it. Where the last of them hangs up it may go on for 10 seconds, and its
 * answer is kept for a minute, in memory alone: the same request of the same account, sent again in this time, gets it.
 */
export class RunningWork {
  /** What another request may join. */
  readonly #works = new Set<Work>()
  readonly #ending = new Set<Promise<unknown>>()
  #isClosed = false

  /**
   * Does some work, or joins what an earlier try of the request has begun.
   *
   * @throws AbortedError when `signal` fires and work that does not linger has ended, unless that is being charged; OverloadedError where the
   *   client would give up once more, saying when the answer may be there; what the work throws
   */
  async run<Answer>(asked: Asked, signal: AbortSignal, begin: Begin<Answer>): Promise<Answer> {
    const began = performance.now()
    const found = this.#find(asked)
    const work = found ?? this.#start(asked, begin)
    const wasLeft = found !== undefined && found.waiters === 0
    const tellsAfter = wasLeft && asked.retryCount === TOLD_TRY ? found.patience! * TOLD_AFTER : undefined
    this.#enter(work, asked.isShared)
    const answered = await answerUntil(work.done as Promise<Answer>, signal, tellsAfter).finally(() => work.waiters--)
    if (answered) return answered.answer
    if (signal.aborted) {
      work.patience = performance.now() - began
      if (asked.mayLinger || !work.isTaken) this.#leave(asked, work, LINGER_MS, signal.reason)
      // It is being charged: who gave up is told of as the one who paid, also where the next try gets the answer.
      if (work.isTaken) return (await work.done) as Answer
      if (work.controller.signal.aborted) await letGo(work)
      throw abortedBy(signal)
    }
    const retryAfterMs = work.pace.remaining()
    this.#leave(asked, work, retryAfterMs + LINGER_MS, undefined)
    throw new OverloadedError(NOT_YET, { retryAfterMs })
  }

  /** Stops all that nobody waits for, and keeps none from now on. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const work of this.#left()) this.#stop(work)
    await Promise.allSettled(this.#ending)
  }

  #find({ account, isShared, text }: Asked): Work | undefined {
    const joinable = [...this.#works].filter((work) => work.account === account && (isShared || work.waiters === 0))
    if (joinable.length === 0) return undefined
    const wanted = digest(text())
    return joinable.find((work) => work.digest === wanted)
  }

  #start<Answer>({ account, isShared, text }: Asked, begin: Begin<Answer>): Work {
    const controller = new AbortController()
    const pace = new Pace()
    const attendance = { onProgress: pace.note.bind(pace), attended: () => this.#attended(work) }
    // The work begins a microtask later, when it is known here.
    const done = Promise.resolve().then(() => begin(controller.signal, attendance))
    const work: Work = { account, done, controller, pace, waiters: 0 }
    if (isShared) {
      work.digest = digest(text())
      this.#works.add(work)
    }
    done.then(
      () => (work.waiters > 0 ? this.#forget(work) : this.#keepMade(work)),
      () => {
        work.hasFailed = true
        this.#forget(work)
      },
    )
    return work
  }

  #enter(work: Work, isShared: boolean): void {
    clearTimeout(work.timer)
    if (!isShared) this.#works.delete(work)
    work.waiters++
    work.come?.()
  }

  #attended(work: Work): Promise<void> {
    this.#keepMade(work)
    const { signal } = work.controller
    return new Promise((resolve, reject) => {
      const take = () => {
        work.isTaken = true
        resolve()
      }
      const leave = () => reject(abortedBy(signal))
      if (work.waiters > 0) return take()
      if (signal.aborted) return leave()
      work.come = take
      signal.addEventListener('abort', leave)
    })
  }

  #keepMade(work: Work): void {
    work.isMade = true
    if (work.waiters === 0 && this.#works.has(work)) this.#stopAfter(work, KEPT_MS)
  }

  #leave({ mayLinger, text }: Asked, work: Work, lingerMs: number, reason: unknown): void {
    if (work.waiters > 0 || work.hasFailed) return
    const left = this.#left()
    const own = left.filter(({ account }) => account === work.account)
    // It is among them where it is shared.
    const others = (works: readonly Work[]) => works.filter((other) => other !== work).length
    if (!mayLinger || this.#isClosed || others(left) >= MOST || others(own) >= MOST_EACH)
      return this.#stop(work, reason)
    work.digest ??= digest(text())
    this.#works.add(work)
    this.#stopAfter(work, work.isMade ? KEPT_MS : lingerMs)
  }

  #left(): Work[] {
    return [...this.#works].filter(({ waiters }) => waiters === 0)
  }

  #stopAfter(work: Work, milliseconds: number): void {
    clearTimeout(work.timer)
    work.timer = setTimeout(() => this.#stop(work), milliseconds).unref()
  }

  #stop(work: Work, reason?: unknown): void {
    this.#forget(work)
    work.controller.abort(reason)
    this.#ending.add(work.done)
    const end = () => this.#ending.delete(work.done)
    void work.done.then(end, end)
  }

  #forget(work: Work): void {
    clearTimeout(work.timer)
    this.#works.delete(work)
  }
}

/** What was stopped gives back its key and what it had set aside before its client is told, who may send the next request under the same key at once. */
async function letGo({ done }: Work): Promise<void> {
  const patience = new AbortController()
  const wait = { ref: false, signal: patience.signal }
  await Promise.race([done, sleep(LET_GO_MS, undefined, wait)]).catch(() => {})
  patience.abort()
}

/** @returns undefined when the signal fires first, or so many milliseconds have passed */
async function answerUntil<Answer>(
  done: Promise<Answer>,
  signal: AbortSignal,
  milliseconds: number | undefined,
): Promise<{ readonly answer: Answer } | undefined> {
  let leave = () => {}
  let timer: NodeJS.Timeout | undefined
  const left = new Promise<undefined>((resolve) => {
    leave = () => resolve(undefined)
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    if (milliseconds !== undefined) timer = setTimeout(leave, milliseconds)
  })
  try {
    return await Promise.race([left, done.then((answer) => ({ answer }))])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', leave)
  }
}
