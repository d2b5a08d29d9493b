import type * as Limiters from 'rate-limiter-flexible'

/** Where an account stands in the minute that its first request began. */
export interface RequestCount {
  /** Whether the request was one too many, or the tokens were. */
  readonly isOver: boolean
  /** Requests, or tokens, that may still come in this minute. */
  readonly remaining: number
  /** Milliseconds until as many as ever may come again. */
  readonly resetMs: number
}

/** What is left of so many requests or tokens a minute. */
export interface Allowance extends RequestCount {
  readonly perMinute: number
}

/**
 * Counts a request of an account against so many a minute.
 *
 * @param tokens Counts so many tokens of the account in place of a request; those that are too many are not counted.
 */
export type CountRequest = (account: string, perMinute: number, tokens?: number) => Promise<RequestCount>

const MINUTE_SECONDS = 60

/** Makes a limiter of rate-limiter-flexible. */
type OpenLimiter = (
  library: typeof Limiters,
  settings: { readonly points: number; readonly duration: number; readonly keyPrefix: string },
) => Limiters.RateLimiterAbstract

/**
 * Counts with limiters of rate-limiter-flexible; keys of the same limit share one.
 *
 * @param countsRefused Whether what is too much is counted all the same. Tokens are given back then, which must come before the minute ends.
 */
export function createRequestCounter(open: OpenLimiter, countsRefused: boolean): CountRequest {
  const limiters = new Map<string, Limiters.RateLimiterAbstract>()
  return async (account, perMinute, tokens) => {
    // Read with the first request that is counted: services whose keys have no limits start without it.
    const library = await import('rate-limiter-flexible')
    const keyPrefix = `tessera:${tokens === undefined ? 'requests' : 'tokens'}:${perMinute}`
    const settings = { points: perMinute, duration: MINUTE_SECONDS, keyPrefix }
    const limiter = limiters.get(keyPrefix) ?? open(library, settings)
    limiters.set(keyPrefix, limiter)
    try {
      return toCount(await limiter.consume(account, tokens), false)
    } catch (refusal) {
      if (!(refusal instanceof library.RateLimiterRes)) throw refusal
      if (!countsRefused) return toCount(withoutRefused(refusal, perMinute, tokens), true)
      return toCount(tokens === undefined ? refusal : await limiter.reward(account, tokens), true)
    }
  }
}

/** The library takes what is refused for counted. */
function withoutRefused({ consumedPoints, msBeforeNext }: Limiters.RateLimiterRes, perMinute: number, refused = 1) {
  return { remainingPoints: Math.max(0, perMinute - (consumedPoints - refused)), msBeforeNext }
}

function toCount(
  { remainingPoints, msBeforeNext }: Pick<Limiters.RateLimiterRes, 'remainingPoints' | 'msBeforeNext'>,
  isOver: boolean,
): RequestCount {
  // Where the clock was set back the end of the minute seems further away.
  const resetMs = Math.min(Math.max(1, msBeforeNext), MINUTE_SECONDS * 1000)
  return { isOver, remaining: remainingPoints, resetMs }
}

/** Counts in the memory of this process. */
export function createLocalCounter(): CountRequest {
  return createRequestCounter(({ RateLimiterMemory }, settings) => new RateLimiterMemory(settings), true)
}
