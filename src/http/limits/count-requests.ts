import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/**
 * Counts a request of an account against so many a minute.
 *
 * @returns milliseconds to wait, 0 where the request may go on
 */
export type CountRequest = (account: string, perMinute: number) => Promise<number>

const MINUTE_SECONDS = 60

/** Counts with limiters of rate-limiter-flexible; keys of the same limit share one. */
export function createRequestCounter(
  open: (settings: {
    readonly points: number
    readonly duration: number
    readonly keyPrefix: string
  }) => RateLimiterAbstract,
): CountRequest {
  const limiters = new Map<number, RateLimiterAbstract>()
  return async (account, perMinute) => {
    const keyPrefix = `tessera:requests:${perMinute}`
    const limiter = limiters.get(perMinute) ?? open({ points: perMinute, duration: MINUTE_SECONDS, keyPrefix })
    limiters.set(perMinute, limiter)
    try {
      await limiter.consume(account)
      return 0
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return Math.max(1, refusal.msBeforeNext)
      throw refusal
    }
  }
}

/** Counts in the memory of this process. */
export function createLocalCounter(): CountRequest {
  return createRequestCounter((settings) => new RateLimiterMemory(settings))
}
