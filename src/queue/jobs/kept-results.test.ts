import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../../test/helpers/redis-server.ts'
import type { JobStore } from '../../http/index.ts'
import { makeJob } from '../../http/jobs/make-job.ts'
import { BODY } from '../../http/test-support/requests.ts'
import { connectRedis, type RedisClient } from '../../redis/connect-redis.ts'
import { openJobStore } from '../index.ts'

describe.skipIf(!hasRedis())('results of jobs on a Redis server', () => {
  let redis: TestRedis
  let client: RedisClient
  let store: JobStore
  beforeAll(async () => {
    redis = await startRedis()
  })
  beforeEach(async () => {
    client = await connectRedis(redis.url)
    store = await openJobStore({ connection: redis.url, plaintext: true })
  })
  afterEach(async () => {
    client.destroy()
    await store.close()
  })
  afterAll(() => redis.stop())

  const caller = { id: 'me' }
  const make = (key: string) => {
    const request = { body: { json: BODY }, caller, idempotencyKey: key }
    return makeJob({ account: 'me', path: '/v1/systemone', keepMs: 60_000, request })
  }

  it('lie apart, so that lists of jobs read none of them, and are kept as long as their jobs', async () => {
    const job = make('a')
    const [own, apart] = [`tessera-queue:job:${job.id}`, `tessera-queue:job-result:${job.id}`]
    const result = { text: 'x'.repeat(100_000) }
    await store.add(job)
    await store.write({ ...job, status: 'succeeded', endedAt: Date.now(), result, bytes: 100_011 })
    expect(await client.strLen(own)).toBeLessThan(1000)
    expect(await store.list('me')).toMatchObject([{ id: job.id, status: 'succeeded', bytes: 100_011 }])
    expect((await store.read(job.id))?.result).toEqual(result)
    expect(await client.pTTL(apart)).toBeGreaterThan(0)
    expect(Math.abs((await client.pTTL(apart)) - (await client.pTTL(own)))).toBeLessThan(10_000)
    await store.remove(job.id)
    expect([await client.exists([own, apart]), await store.read(job.id)]).toEqual([0, undefined])
  })

  it('hold the key of a batch that was stopped; a job that came to nothing frees it', async () => {
    const job = make('b')
    const end = { status: 'cancelled', endedAt: Date.now() } as const
    await store.add(job)
    await store.write({ ...job, ...end })
    expect(await store.add({ ...job, createdAt: job.createdAt + 1 })).toBeUndefined()
    await store.write({ ...job, createdAt: job.createdAt + 1, ...end, result: [1], bytes: 3 })
    expect(await store.add(job)).toMatchObject({ status: 'cancelled' })
    expect((await store.read(job.id))?.result).toEqual([1])
  })
})
