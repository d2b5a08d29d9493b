import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../../test/helpers/redis-server.ts'
import { OverloadedError } from '../../errors/index.ts'
import { createServer, type JobStore, openRedisStore, type Server } from '../../http/index.ts'
import { makeJob } from '../../http/jobs/make-job.ts'
import { eventsOf } from '../../http/test-support/job-server.ts'
import { BODY, bearer, get, IMAGE_BODIES, json, post } from '../../http/test-support/requests.ts'
import { createStubEngine, type StubEngine } from '../../http/test-support/stub-engine.ts'
import { connectRedis } from '../../redis/connect-redis.ts'
import { openJobStore } from '../index.ts'
import { keys } from '../test-support/queue-keys.ts'
import { readAll } from '../test-support/read-all.ts'

const headers = bearer('a')
/** On a busy machine the store may answer too late, and a charge is made a second after. */
const LATE = { timeout: 15_000 }

interface Front {
  readonly server: Server
  readonly stub: StubEngine
  readonly close: () => Promise<void>
}

describe.skipIf(!hasRedis())('jobs of several fronts', () => {
  let redis: TestRedis
  let one: Front
  let two: Front
  beforeAll(async () => {
    redis = await startRedis()
  })
  beforeEach(async () => {
    one = await front()
    two = await front()
  })
  afterEach(async () => {
    await Promise.all([one.close(), two.close()])
    await redis.flush()
  })
  afterAll(() => redis.stop())

  async function front(): Promise<Front> {
    const stub = createStubEngine()
    const store = await openRedisStore(redis.url, { acceptLoss: true })
    const jobs: JobStore = await openJobStore({ connection: redis.url, keys })
    const server = createServer({
      engine: stub.engine,
      store,
      jobs: { store: jobs },
      keys: [
        { key: 'a', id: 'me', prepaid: '1' },
        { key: 'b', id: 'other' },
      ],
    })
    const close = async () => {
      stub.gate = Promise.resolve()
      await server.close()
      await Promise.all([store.close(), jobs.close()])
    }
    return { server, stub, close }
  }

  async function start({ server }: Front, body: unknown = BODY, path = '/v1/systemone', more = {}): Promise<string> {
    const response = await server.fetch(post(body, { path, headers: { ...headers, prefer: 'respond-async', ...more } }))
    expect(response.status).toBe(202)
    return String((await json(response))['id'])
  }

  const read = ({ server }: Front, id: string) => json(server.fetch(get(`/v1/jobs/${id}`, { headers })))

  it('are answered for by any of them, to their account alone', async () => {
    one.stub.hold()
    const id = await start(one)
    expect(await read(two, id)).toMatchObject({ id, status: 'running' })
    expect(await json(two.server.fetch(get('/v1/jobs', { headers })))).toMatchObject({ data: [{ id }] })
    expect((await two.server.fetch(get(`/v1/jobs/${id}`, { headers: bearer('b') }))).status).toBe(404)
    const events = two.server.fetch(get(`/v1/jobs/${id}/events`, { headers })).then(eventsOf)
    const cancelled = await two.server.fetch(get(`/v1/jobs/${id}`, { method: 'DELETE', headers }))
    expect(await json(cancelled)).toMatchObject({ status: 'cancelled' })
    expect((await events).at(-1)?.[0]).toBe('job.cancelled')
    expect([one.stub.counts.aborted, await two.server.usage('me')]).toEqual([1, []])
  })

  it('tell of their progress and show previews at any of them, sealed on their way', async () => {
    const [path, body] = IMAGE_BODIES[0]
    const open = one.stub.hold()
    const id = await start(one, { ...body, partial_images: 2 }, path)
    await expect.poll(() => read(two, id), { timeout: 10_000 }).toMatchObject({ progress: { stage: 'denoising' } })
    const news = await readAll(redis.url)
    expect(news).toContain('job-news')
    expect(news).not.toContain('denoising')
    const events = two.server.fetch(get(`/v1/jobs/${id}/events`, { headers })).then(eventsOf)
    setTimeout(open, 2000)
    const names = (await events).map(([name]) => name)
    expect(names.filter((name) => name === 'image_generation.partial_image')).toHaveLength(2)
    expect(names.at(-1)).toBe('job.succeeded')
  }, 30_000)

  it('are found by their Idempotency-Key at any of them', async () => {
    const key = { 'idempotency-key': 'k' }
    const id = await start(one, BODY, '/v1/systemone', key)
    await expect.poll(() => read(two, id)).toMatchObject({ status: 'succeeded' })
    const again = post(BODY, { headers: { ...headers, prefer: 'respond-async', ...key } })
    expect(await json(two.server.fetch(again))).toEqual(await read(two, id))
    expect(await read(two, id)).toMatchObject({ result: { answers: {} } })
    expect([one.stub.counts.decided, two.stub.counts.decided]).toEqual([1, 0])
  })

  it('that have failed free their Idempotency-Key, for one try of those that come together', async () => {
    const key = { 'idempotency-key': 'k' }
    one.stub.failure = new OverloadedError('full')
    const id = await start(one, BODY, '/v1/systemone', key)
    await expect.poll(() => read(two, id)).toMatchObject({ status: 'failed' })
    one.stub.failure = undefined
    const changed = { ...BODY, state: 'y' }
    const ids = await Promise.all([one, two, two].map((front) => start(front, changed, '/v1/systemone', key)))
    expect(ids).toEqual([id, id, id])
    await expect.poll(() => read(two, id)).toMatchObject({ status: 'succeeded' })
    await expect.poll(() => two.server.usage('me'), LATE).toMatchObject([{ requests: 1 }])
  })

  it('that one refuses after another has told of them fail, and those that nobody was told of are gone', async () => {
    let refuse = () => {}
    const refused = new Promise<void>((resolve) => {
      refuse = resolve
    })
    Object.assign(one.stub.engine, {
      countTokens: async () => {
        await refused
        throw new OverloadedError('full')
      },
    })
    const ask = (key: string) =>
      one.server.fetch(post(BODY, { headers: { ...headers, prefer: 'respond-async', 'idempotency-key': key } }))
    const asked = ['told', 'untold'].map(ask)
    await expect.poll(async () => (await json(two.server.fetch(get('/v1/jobs', { headers }))))['data']).toHaveLength(2)
    const id = await start(two, BODY, '/v1/systemone', { 'idempotency-key': 'told' })
    refuse()
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([529, 529])
    await expect.poll(() => read(two, id)).toMatchObject({ id, status: 'failed', error: { status: 529 } })
    const { data } = await json(two.server.fetch(get('/v1/jobs', { headers })))
    expect(data).toMatchObject([{ id }])
    expect(await two.server.usage('me')).toEqual([])
  })

  it.each(IMAGE_BODIES)(
    'of a front that closes are taken over, and charged once: %s',
    async (path, body) => {
      one.stub.hold()
      const id = await start(one, body, path)
      await one.server.close()
      await expect
        .poll(() => read(two, id), { timeout: 15_000 })
        .toMatchObject({ status: 'succeeded', result: { data: [{}] } })
      await expect.poll(() => two.server.usage('me'), LATE).toMatchObject([{ requests: 1, units: 1 }])
      expect(two.stub.drawn).toHaveLength(1)
    },
    30_000,
  )

  it('hold nothing readable', async () => {
    one.stub.hold()
    await start(one, { ...BODY, state: 'CANARY' })
    const client = await connectRedis(redis.url)
    const texts = await Promise.all(
      ['job', 'job-request'].map(async (name) => {
        const [key] = await client.keys(`tessera-queue:${name}:*`)
        return String(await client.get(key!))
      }),
    )
    client.destroy()
    for (const text of texts) expect(text).toMatch(/^k1\./)
    expect(texts.join()).not.toContain('CANARY')
  })

  it('are looked at without their requests, which are gone with their end', async () => {
    one.stub.hold()
    const id = await start(one, { ...BODY, state: 'a long state '.repeat(10_000) })
    const client = await connectRedis(redis.url)
    const store = await openJobStore({ connection: redis.url, keys })
    try {
      expect(await client.strLen(`tessera-queue:job-request:${id}`)).toBeGreaterThan(100_000)
      expect(await client.strLen(`tessera-queue:job:${id}`)).toBeLessThan(1000)
      expect(await store.read(id)).not.toHaveProperty('request')
      await two.server.fetch(get(`/v1/jobs/${id}`, { method: 'DELETE', headers }))
      await expect.poll(() => client.exists(`tessera-queue:job-request:${id}`)).toBe(0)
    } finally {
      client.destroy()
      await store.close()
    }
  })

  it('end as they ended while the server was away, and go on with what they kept, once it is back', async () => {
    const own = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always'])
    const store = await openJobStore({ connection: own.url, keys })
    try {
      const job = makeJob({
        account: 'me',
        path: '/v1/systemone',
        keepMs: 60_000,
        request: { body: { json: BODY }, caller: { id: 'me' } as never },
      })
      await store.add(job)
      await store.shared!.keepPart(job.id, 'one line')
      await own.kill()
      const parts = store.shared!.readParts(job.id)
      const written = store.write({ ...job, status: 'succeeded', endedAt: Date.now(), result: { said: 'yes' } })
      // Longer than the client keeps two commands that it could not send.
      await sleep(11_000)
      await own.restart()
      expect(await parts).toEqual(['one line'])
      expect(await written).toBe(true)
      expect(await store.read(job.id)).toMatchObject({ status: 'succeeded', result: { said: 'yes' } })
    } finally {
      await store.close()
      await own.stop()
    }
  })

  it('cannot be reached where the server ends, which the next try may find again', async () => {
    const own = await startRedis()
    const store = await openJobStore({ connection: own.url, keys })
    try {
      own.freeze()
      const read = store.read('any').catch((error: unknown) => error)
      await sleep(100)
      await own.kill()
      expect(await read).toMatchObject({ code: 'store_unavailable', retryable: true, status: 503 })
    } finally {
      await store.close()
      await own.stop()
    }
  })
})
