import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RequestLimiter } from './request-limiter.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('requests at the same time', () => {
  it('are as many as the key may have, and a place comes free once', async () => {
    const limiter = new RequestLimiter({ concurrency: 2 })
    const leave = await limiter.enter({ id: 'a' })
    await limiter.enter({ id: 'a' })
    await expect(limiter.enter({ id: 'a' })).rejects.toMatchObject({ code: 'rate_limit_error', retryAfterMs: 500 })
    leave()
    leave()
    await limiter.enter({ id: 'a' })
    await expect(limiter.enter({ id: 'a' })).rejects.toMatchObject({ code: 'rate_limit_error' })
  })

  it('do not take the places of another key', async () => {
    const limiter = new RequestLimiter({ concurrency: 1 })
    await limiter.enter({ id: 'a' })
    await expect(limiter.enter({ id: 'b' })).resolves.toBeTypeOf('function')
  })

  it('that arrive in one turn cannot share the last place', async () => {
    const limiter = new RequestLimiter({ concurrency: 1, requestsPerMinute: 100 })
    const results = await Promise.allSettled([limiter.enter({ id: 'a' }), limiter.enter({ id: 'a' })])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  })
})

describe('requests in a minute', () => {
  it('are as many as the key may have, then as many again', async () => {
    const limiter = new RequestLimiter({ requestsPerMinute: 2 })
    const send = async () => (await limiter.enter({ id: 'a' }))()
    await send()
    vi.advanceTimersByTime(20_000)
    await send()
    const refusal = await send().catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'rate_limit_error', retryAfterMs: 40_000 })
    vi.advanceTimersByTime(40_001)
    await expect(send()).resolves.toBeUndefined()
  })

  it('are never waited for longer than a minute, whatever the clock says', async () => {
    const limiter = new RequestLimiter({ requestsPerMinute: 1 })
    await limiter.enter({ id: 'a' })
    vi.setSystemTime(Date.now() - 3_600_000)
    await expect(limiter.enter({ id: 'a' })).rejects.toMatchObject({ retryAfterMs: 60_000 })
  })

  it("follow the key's own settings", async () => {
    const limiter = new RequestLimiter({ requestsPerMinute: 1, concurrency: 1 })
    const key = { id: 'a', requestsPerMinute: 3, concurrency: 3 }
    await Promise.all([limiter.enter(key), limiter.enter(key), limiter.enter(key)])
    await expect(limiter.enter(key)).rejects.toMatchObject({ status: 429 })
  })

  it('that are too many give their place back', async () => {
    const limiter = new RequestLimiter({ requestsPerMinute: 1, concurrency: 1 })
    const leave = await limiter.enter({ id: 'a' })
    leave()
    await expect(limiter.enter({ id: 'a' })).rejects.toMatchObject({ message: expect.stringContaining('a minute') })
    vi.advanceTimersByTime(60_001)
    await expect(limiter.enter({ id: 'a' })).resolves.toBeTypeOf('function')
  })
})
