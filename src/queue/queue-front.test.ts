import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../test/helpers/redis-server.ts'
import { EngineDisposedError } from '../errors/index.ts'
import { connectRedis, type RedisClient } from '../redis/connect-redis.ts'
import { createQueueEngine } from './index.ts'

const QUESTIONS = { urgent: { type: 'noul', instructions: 'Is it urgent?' } } as const

describe.skipIf(!hasRedis())('a front that is disposed', () => {
  let redis: TestRedis
  let client: RedisClient
  beforeAll(async () => {
    redis = await startRedis()
    client = await connectRedis(redis.url)
  })
  afterAll(async () => {
    client.destroy()
    await redis.stop()
  })

  it('connects no more, also with thousands of calls that wait', async () => {
    const count = async () => (await client.clientList()).length
    const before = await count()
    const engine = createQueueEngine({ connection: redis.url, plaintext: true, maxWaiting: 10_000 })
    const calls = Array.from({ length: 2000 }, () => engine.decide({ state: 'late', questions: QUESTIONS }))
    const ended = Promise.allSettled(calls)
    // Until it looks after them.
    await sleep(2500)
    expect(await count()).toBeGreaterThan(before)
    await engine.dispose()
    expect((await ended).every(({ status }) => status === 'rejected')).toBe(true)
    await expect(engine.models()).rejects.toThrow(EngineDisposedError)
    await sleep(1500)
    expect(await count()).toBe(before)
  }, 60_000)
})
