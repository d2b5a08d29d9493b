/** What the caller hears of before the same thing is tried again. */
export interface PullRetry {
  /** The file inside the repository, or `the list of files`. */
  readonly file: string
  /** What went wrong, such as `the hub answered 503`. */
  readonly reason: string
  /** Milliseconds until the next try. */
  readonly delay: number
}

/** How many tries in a row may bring no new byte. */
const FRUITLESS_TRIES = 6
const FIRST_DELAY_MS = 1000
const LONGEST_DELAY_MS = 30_000
/** A hub that asks for more patience than this is told to the user in place of being waited for. */
const LONGEST_RETRY_AFTER_MS = 5 * 60_000
/** What servers answer that are busy, restarted or limit their clients: the same request may succeed later. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504])

/** An answer that says "later". */
export class PassingAnswer extends Error {
  /** Milliseconds that the answer asks to wait for. */
  readonly retryAfter: number | undefined

  constructor(status: number, retryAfter: number | undefined) {
    super(`the hub answered ${status}`)
    this.retryAfter = retryAfter
  }
}

/** @throws PassingAnswer for an answer after which the same request may succeed later */
export function refusePassing(response: Response): void {
  if (!PASSING.has(response.status)) return
  // Nobody reads this body, which would hold its connection.
  void response.body?.cancel()
  throw new PassingAnswer(response.status, readRetryAfter(response.headers))
}

/** Milliseconds of a `Retry-After` header, which holds seconds or a date (RFC 9110, 10.2.3). */
function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim()
  if (!text) return undefined
  const time = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(time) ? undefined : Math.max(0, time)
}

/** Milliseconds before the next try, of which the first is number 0; undefined where trying again makes no sense. */
export function delayBefore(tries: number, error: unknown): number | undefined {
  if (tries + 1 >= FRUITLESS_TRIES || !isPassing(error)) return undefined
  const asked = error instanceof PassingAnswer ? error.retryAfter : undefined
  if (asked !== undefined) return asked > LONGEST_RETRY_AFTER_MS ? undefined : asked
  const most = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** tries)
  // Clients that were cut off together should not come back together.
  return most * (0.5 + Math.random() / 2)
}

/** Whether the same may succeed later, which a host whose name nobody knows is not said to do. */
function isPassing(error: unknown): boolean {
  return error instanceof PassingAnswer || (isBrokenConnection(error) && causeCode(error) !== 'ENOTFOUND')
}

/** A connection that could not be made or broke: `fetch` reports both as errors without a status. */
export function isBrokenConnection(error: unknown): boolean {
  return error instanceof TypeError && (error.message === 'fetch failed' || error.message === 'terminated')
}

function causeCode(error: unknown): string | undefined {
  return ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code
}

/** The innermost reason of a failed `fetch`, whose own message says only that it failed. */
export function describeCause(error: unknown): string {
  let inner = error
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause
  if (!(inner instanceof Error)) return String(inner)
  const { code } = inner as NodeJS.ErrnoException
  return code && !inner.message.includes(code) ? `${inner.message || 'no answer'} (${code})` : inner.message
}
