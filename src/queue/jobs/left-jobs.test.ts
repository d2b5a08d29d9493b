import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../../test/helpers/redis-server.ts'
import type { Job, JobStore } from '../../http/index.ts'
import { connectRedis } from '../../redis/connect-redis.ts'
import { openJobStore } from '../index.ts'
import { RUNNING_JOB } from '../test-support/running-job.ts'

const [k1, k2] = ['k1', 'k2'].map((name) => `${name}:${randomBytes(32).toString('base64')}`) as [string, string]

describe.skipIf(!hasRedis())('jobs that a process leaves', () => {
  let redis: TestRedis
  const stores: JobStore[] = []
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()))
  })
  afterAll(() => redis.stop())

  async function open(keys = k1) {
    const store = await openJobStore({ connection: redis.url, keys })
    stores.push(store)
    return { ...store, ...store.shared! }
  }

  it('have never been taken over for the next one, and are its own alone', async () => {
    const [one, two] = [await open(), await open()]
    await one.add(RUNNING_JOB)
    await one.write({ ...RUNNING_JOB, takenOver: 2 })
    expect(await two.takeOver()).toEqual([])
    await one.release(RUNNING_JOB.id)
    expect(await two.takeOver()).toEqual([{ ...RUNNING_JOB, takenOver: 0 }])
    // It has the job no more, so that there is nothing to leave.
    await one.release(RUNNING_JOB.id)
    expect(await one.takeOver()).toEqual([])
    await two.remove(RUNNING_JOB.id)
  })

  it('sealed with a key that is not known here keep no other from being taken over or listed', async () => {
    const [one, two] = [await open(), await open(k2)]
    for (const id of Array.from({ length: 60 }, (_, index) => `job_a${index}`)) await one.add({ ...RUNNING_JOB, id })
    await two.add({ ...RUNNING_JOB, id: 'job_b' })
    for (const store of [one, two]) for (const { id } of await store.list('me')) await store.release(id)
    expect((await two.list('me')).map(({ id }) => id)).toEqual(['job_b'])
    const three = await open(k2)
    // At most fifty are tried at a time.
    const taken = [...(await three.takeOver()), ...(await three.takeOver())]
    expect(taken.map(({ id }) => id)).toEqual(['job_b'])
    expect(await three.takeOver()).toEqual([])
    const four = await open(`${k2},${k1}`)
    expect([...(await four.takeOver()), ...(await four.takeOver())]).toHaveLength(60)
  })

  it('have parts that are sealed with a key that is not known here, and others', async () => {
    const [one, two] = [await open(), await open(k2)]
    await one.add({ ...RUNNING_JOB, id: 'job_2' })
    await one.keepPart('job_2', 'a')
    await one.release('job_2')
    await two.keepPart('job_2', 'b')
    expect(await two.readParts('job_2')).toEqual(['b'])
    await two.remove('job_2')
  })

  it('keep no part that comes after their end, and begin without those of others of their id', async () => {
    const [one, two] = [await open(), await open()]
    const keyed = { ...RUNNING_JOB, id: 'job_3', digest: 'of the request' }
    await one.add(keyed)
    await one.keepPart(keyed.id, 'a')
    await two.write({ ...keyed, status: 'failed', endedAt: 2 })
    // The process that had it before, which was cut off meanwhile.
    await one.keepPart(keyed.id, 'b')
    expect(await two.readParts(keyed.id)).toEqual([])
    // As an older version left it.
    const client = await connectRedis(redis.url)
    await client.rPush(`tessera-queue:job-parts:${keyed.id}`, 'k1.old')
    expect(await two.add(keyed)).toBeUndefined()
    expect(await client.exists(`tessera-queue:job-parts:${keyed.id}`)).toBe(0)
    await two.keepPart(keyed.id, 'c')
    expect(await two.readParts(keyed.id)).toEqual(['c'])
    client.destroy()
  })

  it('are not ended by a process that was cut off while it had an earlier one of their id', async () => {
    const [one, two] = [await open(), await open()]
    const early = { ...RUNNING_JOB, id: 'job_5', digest: 'of the request' }
    const late = { ...early, createdAt: 2 }
    await one.add(early)
    await two.write({ ...early, status: 'failed', endedAt: 2 })
    expect(await two.add(late)).toBeUndefined()
    await two.keepPart(late.id, 'its own')
    // Which knows nothing of that.
    await one.renew([early.id])
    await one.keepPart(early.id, 'of the first')
    expect(await one.write({ ...early, startedAt: 3 })).toBe(false)
    expect(await one.write({ ...early, status: 'succeeded', endedAt: 3, result: 'of the first' })).toBe(false)
    expect(await two.read(late.id)).toEqual(late)
    expect(await two.readParts(late.id)).toEqual(['its own'])
    // The lease is not the first one's.
    await two.release(late.id)
    expect(await one.takeOver()).toEqual([{ ...late, takenOver: 0 }])
    expect(await one.write({ ...late, status: 'succeeded', endedAt: 3, result: 'its own' })).toBe(true)
  })

  it('are kept, and no more of them taken, while the memory of the server is full', async () => {
    const [one, two] = [await open(), await open()]
    const client = await connectRedis(redis.url)
    const [early, late] = ['job_6', 'job_7'].map((id) => ({ ...RUNNING_JOB, id })) as [Job, Job]
    const lease = `tessera-queue:job-lease:${early.id}`
    await one.add(early)
    await client.configSet('maxmemory', '1000')
    await client.pExpire(lease, 5000)
    await one.renew([early.id])
    expect(await client.pTTL(lease)).toBeGreaterThan(5000)
    // One that asks again, with the key of it.
    expect(await two.add(early)).toMatchObject({ id: early.id })
    // As of a process that stood still.
    await client.del(lease)
    await one.renew([early.id])
    expect(await client.pTTL(lease)).toBeGreaterThan(5000)
    await expect(two.add(late)).rejects.toMatchObject({
      code: 'store_unavailable',
      cause: { message: expect.stringMatching(/^OOM /) },
    })
    // A front that is told to stop is none that has ended by it.
    await one.release(early.id)
    expect(await client.get(lease)).toBe('left')
    // What fills the memory may be jobs that wait for one.
    expect(await two.takeOver()).toEqual([{ ...early, takenOver: 0 }])
    // Its result is kept: it was paid for.
    expect(await two.write({ ...early, status: 'succeeded', endedAt: 2, result: 'x' })).toBe(true)
    await client.configSet('maxmemory', '0')
    expect(await two.read(early.id)).toMatchObject({ status: 'succeeded' })
    expect(await two.read(late.id)).toBeUndefined()
    await one.remove(early.id)
    client.destroy()
  })

  it('are told of by their webhooks, in their times, while the memory of the server is full', async () => {
    const one = await open()
    const client = await connectRedis(redis.url)
    const told = { ...RUNNING_JOB, id: 'job_8', webhook: 'https://receiver.example/ended' }
    await one.add(told)
    await client.configSet('maxmemory', '1000')
    await one.write({ ...told, status: 'succeeded', endedAt: 2, result: 'x' })
    const taken = await one.webhooks.take(10, 60_000)
    expect(taken).toMatchObject([{ job: { id: told.id }, tries: 0 }])
    await one.webhooks.leave({ ...taken[0]!, tries: 1 }, 0)
    const again = await one.webhooks.take(10, 60_000)
    expect(again).toMatchObject([{ job: { id: told.id }, tries: 1 }])
    await one.webhooks.forget(again[0]!)
    // One that was forgotten stays so.
    await one.webhooks.leave(again[0]!, 0)
    expect(await one.webhooks.take(10, 60_000)).toEqual([])
    await client.configSet('maxmemory', '0')
    await one.remove(told.id)
    client.destroy()
  })

  it('are not forgotten while a process has them, and for the time that was asked when they are over', async () => {
    const one = await open()
    const own = { ...RUNNING_JOB, id: 'job_4', keepMs: 5000 }
    const client = await connectRedis(redis.url)
    const keysOf = (id: string) => ['job', 'job-request', 'job-parts'].map((name) => `tessera-queue:${name}:${id}`)
    const kept = () => Promise.all(keysOf(own.id).map((key) => client.pTTL(key)))
    await one.add(own)
    await one.keepPart(own.id, 'a')
    for (const key of keysOf(own.id)) await client.pExpire(key, 1000)
    await one.renew([own.id])
    for (const milliseconds of await kept()) expect(milliseconds).toBeGreaterThan(6 * 24 * 3600 * 1000)
    await one.write({ ...own, status: 'succeeded', endedAt: 2 })
    await one.renew([own.id])
    const [result, ...beside] = await kept()
    expect(result).toBeGreaterThan(0)
    expect(result).toBeLessThanOrEqual(5000)
    expect([...beside, await client.exists(`tessera-queue:job-lease:${own.id}`)]).toEqual([-2, -2, 0])
    client.destroy()
  })
})
