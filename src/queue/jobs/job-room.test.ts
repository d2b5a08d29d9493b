import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../../test/helpers/redis-server.ts'
import type { Job, JobStore } from '../../http/index.ts'
import { makeJob } from '../../http/jobs/make-job.ts'
import { BODY } from '../../http/test-support/requests.ts'
import type { RedisClient } from '../../redis/connect-redis.ts'
import { openJobStore } from '../index.ts'
import { JobRoom } from './job-room.ts'

const MEGABYTE = 2 ** 20

describe('the room of an account', () => {
  const job = { account: 'me' } as Job
  const require = (room: JobRoom) => room.require(job, async () => undefined)

  it('is looked at once for all who ask as its jobs become too many', async () => {
    const measured = [9990, 10_000, 10_000]
    const measure = vi.fn<() => Promise<number[]>>(async () => [measured.shift()!, 0, -1])
    const client = { zCard: async () => 10_000, info: async () => 'maxmemory:0\r\n', eval: measure }
    const room = new JobRoom(client as unknown as RedisClient)
    const refused = await Promise.allSettled(Array.from({ length: 50 }, () => require(room)))
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set(['rejected']))
    expect(measure).toHaveBeenCalledTimes(2)
  })

  it('is that of the server as soon as it says how much memory it has', async () => {
    const info = vi.fn<() => Promise<string>>(async () => 'maxmemory:1000\r\n')
    info.mockRejectedValueOnce(new Error('away'))
    const client = { zCard: async () => 1, info, eval: async () => [1, 500, 60_000] }
    const room = new JobRoom(client as unknown as RedisClient)
    await require(room)
    await expect(require(room)).rejects.toMatchObject({ code: 'rate_limit_error', retryAfterMs: 60_000 })
    await expect(require(room)).rejects.toMatchObject({ code: 'rate_limit_error' })
    expect(info).toHaveBeenCalledTimes(2)
  })
})

describe.skipIf(!hasRedis())('the results of an account on a Redis server', () => {
  let redis: TestRedis
  let store: JobStore
  beforeAll(async () => {
    redis = await startRedis(['--maxmemory', String(16 * MEGABYTE), '--maxmemory-policy', 'noeviction'])
    store = await openJobStore({ connection: redis.url, plaintext: true })
  })
  afterAll(async () => {
    await store.close()
    await redis.stop()
  })

  const make = (account: string, key?: string) =>
    makeJob({
      account,
      path: '/v1/systemone',
      keepMs: 60_000,
      request: { body: { json: BODY }, caller: { id: account }, ...(key !== undefined && { idempotencyKey: key }) },
      ...(key !== undefined && { digest: 'of the body' }),
    })

  it('take half of its memory at most, so that others come in', async () => {
    const result = { text: 'x'.repeat(3 * MEGABYTE) }
    const ended = []
    for (let index = 0; index < 3; index++) {
      const job = make('me', `key ${index}`)
      await store.add(job)
      await store.write({ ...job, status: 'succeeded', endedAt: Date.now(), result, bytes: 3 * MEGABYTE })
      ended.push(job)
    }
    const add = (account: string) => store.add(make(account)).catch((error: unknown) => error)
    // What an account has is looked at once a second.
    await expect
      .poll(() => add('me'))
      .toMatchObject({
        code: 'rate_limit_error',
        message: 'the results that are kept for this API key fill its part of the memory for results',
        retryAfterMs: expect.closeTo(60_000, -5),
      })
    expect(await add('other')).toBeUndefined()
    // Whoever sends a request again takes no more of it.
    expect(await store.add(make('me', 'key 1'))).toMatchObject({ id: ended[1]!.id, status: 'succeeded' })
    await expect(store.add(make('me', 'key 3'))).rejects.toMatchObject({ code: 'rate_limit_error' })
    await store.remove(ended[0]!.id)
    await expect.poll(() => add('me'), { timeout: 10_000 }).toBeUndefined()
  })
})
