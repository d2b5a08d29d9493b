import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../../test/helpers/redis-server.ts'
import type { JobStore } from '../../http/index.ts'
import { type BatchServer, line, openBatchServer } from '../../http/test-support/batch-server.ts'
import { eventsOf } from '../../http/test-support/job-server.ts'
import { bearer, get, IMAGE_BODIES, json } from '../../http/test-support/requests.ts'
import { openJobStore } from '../index.ts'

const MEGABYTE = 2 ** 20
/** Of a result; an account has room for three of them, and all together for four. */
const BYTES = 2 * MEGABYTE
const ROOM = { maxBodyBytes: MEGABYTE, maxEditBodyBytes: MEGABYTE, maxBufferedBytes: 9 * MEGABYTE }
const [path, body] = IMAGE_BODIES[0]

describe.skipIf(!hasRedis())('results on a Redis server that clients do not read', () => {
  let redis: TestRedis
  let store: JobStore
  let jobs: BatchServer
  beforeAll(async () => {
    redis = await startRedis()
  })
  beforeEach(async () => {
    store = await openJobStore({ connection: redis.url, plaintext: true })
    jobs = openBatchServer({ jobs: { store }, keys: ['a', 'b'].map((key) => ({ key, id: key })), ...ROOM })
    const data = [{ b64_json: 'A'.repeat(BYTES) }]
    Object.assign(jobs.stub.engine, { generateImage: async () => ({ data, warnings: [] }) })
  })
  afterEach(async () => {
    await jobs.close()
    await store.close()
  })
  afterAll(() => redis.stop())

  async function draw(key: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
    const { job } = await jobs.start(body, path, { ...bearer(key), ...more })
    const id = String(job['id'])
    await expect
      .poll(async () => (await json(jobs.server.fetch(get('/v1/jobs', { headers: bearer(key) }))))['data'])
      .toContainEqual(expect.objectContaining({ id, status: 'succeeded' }))
    return id
  }

  const events = (id: string, key: string) => jobs.ask(id, bearer(key), {}, '/events')

  it('are held as far as there is room for those of their account, and others of it wait', async () => {
    const [own, other] = [await draw('a'), await draw('b')]
    const held = [await jobs.ask(own, bearer('a')), await events(own, 'a')]
    held.push(await jobs.ask(own, bearer('a')))
    let hasCome = false
    const waiting = jobs.ask(own, bearer('a')).then((response) => {
      hasCome = true
      return response
    })
    expect((await json(jobs.ask(other, bearer('b'))))['status']).toBe('succeeded')
    await sleep(200)
    expect(hasCome).toBe(false)
    await held[0]!.body!.cancel()
    expect(await json(waiting)).toMatchObject({ status: 'succeeded', result: { data: [{}] } })
    expect((await eventsOf(held[1]!)).at(-1)).toMatchObject(['job.succeeded', { result: { data: [{}] } }])
    const all = await Promise.all(
      Array.from({ length: 20 }, async () => (await json(jobs.ask(own, bearer('a'))))['status']),
    )
    expect(all).toEqual(Array.from({ length: 20 }, () => 'succeeded'))
  })

  it('give room as soon as their client has gone, and wait for no more than ten seconds', async () => {
    const id = await draw('a')
    const controllers = Array.from({ length: 3 }, () => new AbortController())
    const ask = (signal?: AbortSignal) =>
      jobs.server.fetch(get(`/v1/jobs/${id}`, { headers: bearer('a'), ...(signal && { signal }) }))
    for (const { signal } of controllers) expect((await ask(signal)).status).toBe(200)
    const refused = await ask()
    expect([refused.status, refused.headers.get('retry-after'), await json(refused)]).toEqual([
      529,
      '1',
      expect.objectContaining({
        error: expect.objectContaining({ message: expect.stringContaining('results of jobs') }),
      }),
    ])
    // Small ones are not counted, and who asks for the headers alone gets no result.
    expect((await jobs.ask(id, bearer('a'), { method: 'HEAD' })).status).toBe(200)
    controllers[0]!.abort()
    expect((await ask()).status).toBe(200)
  }, 60_000)

  it('are those of a job that is found again by its key, or removed, too', async () => {
    const id = await draw('a', { 'idempotency-key': 'k' })
    const again = await jobs.start(body, path, { ...bearer('a'), 'idempotency-key': 'k' })
    expect([again.response.status, again.job]).toMatchObject([202, { id, result: { data: [{}] } }])
    const removed = await jobs.ask(id, bearer('a'), { method: 'DELETE' })
    expect(await json(removed)).toMatchObject({ id, result: { data: [{}] } })
    expect((await jobs.ask(id, bearer('a'))).status).toBe(404)
  })

  it('of a batch are the same lines as they were answered', async () => {
    const id = await jobs.startBatch([line('a,]}"\\'), '{', line('b')].join('\n'), bearer('a'))
    await jobs.until(id, 'succeeded', bearer('a'))
    const results = await jobs.resultsOf(id, bearer('a'))
    const { result } = await json(jobs.ask(id, bearer('a')))
    expect([...results.values()]).toEqual(result)
    expect(results.get(1)).toMatchObject({ custom_id: 'a,]}"\\', response: {} })
    expect(results.size).toBe(3)
  })
})
