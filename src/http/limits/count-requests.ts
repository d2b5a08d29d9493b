import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** Where an account stands in the minute that its first request began. */
export interface RequestCount {
  /** Whether the request was one too many. */
  readonly isOver: boolean
  /** Requests that may still come in this minute. */
  readonly remaining: number
  /** Milliseconds until as many as ever may come again. */
  readonly resetMs: number
}

/** Counts a request of an account against so many a minute. */
export type CountRequest = (account: string, perMinute: number) => Promise<RequestCount>

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
      return toCount(await limiter.consume(account), false)
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return toCount(refusal, true)
      throw refusal
    }
  }
}

function toCount({ remainingPoints, msBeforeNext }: RateLimiterRes, isOver: boolean): RequestCount {
  return { isOver, remaining: remainingPoints, resetMs: Math.max(1, msBeforeNext) }
}

/** Counts in the memory of this process. */
export function createLocalCounter(): CountRequest {
  return createRequestCounter((settings) => new RateLimiterMemory(settings))
}
