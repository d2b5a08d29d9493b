import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../test/helpers/redis-server.ts'
import type { Engine } from '../engine/index.ts'
import { createMemoryStore, createServer, type RequestLog } from '../http/index.ts'
import { BODY, bearer, get, json, post } from '../http/test-support/requests.ts'
import { connectRedis } from '../redis/connect-redis.ts'
import { openJobStore } from './index.ts'
import { jobLeaseKey } from './queue-names.ts'
import { createFakeEngine } from './test-support/fake-engine.ts'

const headers = { ...bearer('a'), prefer: 'respond-async' }
const BATCH = Array.from({ length: 40 }, (_, at) => JSON.stringify({ custom_id: `c${at}`, ...BODY })).join('\n')

describe.skipIf(!hasRedis())('a job that another process took, as this one did not say in time that it has it', () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.stop())
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })

  /** A server that works on a job, and another process, which has it. */
  async function takeOver(start: Request) {
    const connection = { connection: redis.url, keys: `k1:${randomBytes(32).toString('base64')}` }
    const [store, other] = [await openJobStore(connection), await openJobStore(connection)]
    const fake = createFakeEngine()
    const lines: RequestLog[] = []
    const keys = [{ key: 'a', id: 'me' }]
    const log = (line: RequestLog) => void lines.push(line)
    const server = createServer({
      engine: fake.engine as Engine,
      store: createMemoryStore(),
      jobs: { store },
      keys,
      log,
    })
    closing.push(
      () => store.close(),
      () => other.close(),
      () => server.close(),
    )
    fake.hold()
    const { id } = (await json(server.fetch(start))) as { id: string }
    await expect.poll(() => fake.running).toBeGreaterThan(0)
    const client = await connectRedis(redis.url)
    await client.del(jobLeaseKey(id))
    client.destroy()
    const [job] = await other.shared!.takeOver()
    const end = () => other.write({ ...job!, status: 'cancelled', endedAt: Date.now() })
    return { server, fake, lines, id, end, read: () => json(server.fetch(get(`/v1/jobs/${id}`, { headers }))) }
  }

  it('is worked on by that one alone, which says how it ends', async () => {
    const { server, fake, read, end } = await takeOver(
      post(BATCH, { path: '/v1/batches', headers: { ...headers, 'content-type': 'application/jsonl' } }),
    )
    await expect.poll(() => fake.running, { timeout: 30_000 }).toBe(0)
    fake.release()
    expect(await read()).toMatchObject({ status: 'running' })
    expect(await server.usage('me')).toEqual([])
    expect(await end()).toBe(true)
    expect(await read()).toMatchObject({ status: 'cancelled' })
  }, 60_000)

  it('and that is over by now is not told as one that was lost', async () => {
    const { fake, read, end, lines } = await takeOver(post(BODY, { headers }))
    expect(await end()).toBe(true)
    await expect.poll(() => fake.running, { timeout: 30_000 }).toBe(0)
    expect(await read()).toMatchObject({ status: 'cancelled' })
    await expect.poll(() => lines.map(({ route }) => route)).toContain('/v1/systemone')
    expect(lines.find(({ route }) => route === '/v1/systemone')?.error).toBeUndefined()
  }, 60_000)
})
