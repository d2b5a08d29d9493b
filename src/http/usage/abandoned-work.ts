import { AbortedError } from '../../errors/index.ts'
import { digest } from './idempotent-requests.ts'

/** Clients that gave up after a time of their own try again within a second or two, and send their body again. */
const LINGER_MS = 10_000

/** How long an answer that nobody got waits for the client to ask once more. */
const KEPT_MS = 60_000

/** Work that nobody waits for takes the time of others, so that there is little of it. */
const MOST_EACH = 4
const MOST = 16

/** A request that may be sent again. */
export interface Asked {
  readonly account: string
  /** The request as text; asked only where there is work to be known again. */
  text(): string
}

interface Work<Answer> {
  readonly done: Promise<Answer>
  readonly controller: AbortController
}

interface Abandoned {
  readonly account: string
  /** SHA-256 of the request. */
  readonly digest: string
  readonly work: Work<unknown>
  timer: NodeJS.Timeout
  /** Gives back what the answer has set aside, once there is one. */
  drop(): void
}

/**
 * Work whose client hung up before it had the answer. It goes on for 10 seconds, and its answer is kept for a minute, in
 * memory alone: the same request of the same account, sent again in this time, takes it over.
 */
export class AbandonedWork {
  readonly #abandoned = new Set<Abandoned>()
  readonly #dropping = new Set<Promise<void>>()
  #isClosed = false

  /**
   * Does some work, or takes over what an earlier try of the request left.
   *
   * @param release Called with an answer that nobody takes.
   * @throws AbortedError when `signal` fires first; what the work throws
   */
  async run<Answer>(
    asked: Asked,
    signal: AbortSignal,
    begin: (ended: AbortSignal) => Promise<Answer>,
    release: (answer: Answer) => Promise<void>,
  ): Promise<Answer> {
    const work = (this.#take(asked) as Work<Answer> | undefined) ?? start(begin)
    const answered = await answerUntil(work.done, signal)
    if (answered) return answered.answer
    this.#keep(asked, work, release)
    throw new AbortedError(undefined, { cause: signal.reason })
  }

  /** Stops all, and keeps none from now on. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const abandoned of this.#abandoned) this.#stop(abandoned)
    await Promise.all(this.#dropping)
  }

  #take({ account, text }: Asked): Work<unknown> | undefined {
    const own = this.#of(account)
    if (own.length === 0) return undefined
    const wanted = digest(text())
    const found = own.find((abandoned) => abandoned.digest === wanted)
    if (found) this.#forget(found)
    return found?.work
  }

  #keep<Answer>({ account, text }: Asked, work: Work<Answer>, release: (answer: Answer) => Promise<void>): void {
    const drop = () => {
      const dropped = work.done.then(release, () => {}).catch(() => {})
      this.#dropping.add(dropped)
      void dropped.finally(() => this.#dropping.delete(dropped))
    }
    if (this.#isClosed || this.#abandoned.size >= MOST || this.#of(account).length >= MOST_EACH) {
      work.controller.abort()
      return drop()
    }
    const abandoned: Abandoned = { account, digest: digest(text()), work, drop, timer: undefined as never }
    this.#abandoned.add(abandoned)
    this.#stopAfter(abandoned, LINGER_MS)
    const isKept = () => this.#abandoned.has(abandoned)
    void work.done.then(
      () => isKept() && this.#stopAfter(abandoned, KEPT_MS),
      () => isKept() && this.#forget(abandoned),
    )
  }

  #of(account: string): Abandoned[] {
    return [...this.#abandoned].filter((abandoned) => abandoned.account === account)
  }

  #stopAfter(abandoned: Abandoned, milliseconds: number): void {
    clearTimeout(abandoned.timer)
    abandoned.timer = setTimeout(() => this.#stop(abandoned), milliseconds).unref()
  }

  #stop(abandoned: Abandoned): void {
    this.#forget(abandoned)
    abandoned.work.controller.abort()
    abandoned.drop()
  }

  #forget(abandoned: Abandoned): void {
    clearTimeout(abandoned.timer)
    this.#abandoned.delete(abandoned)
  }
}

function start<Answer>(begin: (ended: AbortSignal) => Promise<Answer>): Work<Answer> {
  const controller = new AbortController()
  const done = begin(controller.signal)
  // Whoever waits is told by `run`.
  done.catch(() => {})
  return { done, controller }
}

/** @returns undefined when the signal fires first */
async function answerUntil<Answer>(
  done: Promise<Answer>,
  signal: AbortSignal,
): Promise<{ readonly answer: Answer } | undefined> {
  let leave = () => {}
  const left = new Promise<undefined>((resolve) => {
    leave = () => resolve(undefined)
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
  })
  try {
    return await Promise.race([left, done.then((answer) => ({ answer }))])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
