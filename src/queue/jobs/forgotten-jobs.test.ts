import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../../test/helpers/redis-server.ts'
import type { Engine } from '../../engine/index.ts'
import { createMemoryStore, createServer, type RequestLog } from '../../http/index.ts'
import { BODY, bearer, get, json, post } from '../../http/test-support/requests.ts'
import { openJobStore } from '../index.ts'
import { createFakeEngine } from '../test-support/fake-engine.ts'
import { keys } from '../test-support/queue-keys.ts'

const headers = { ...bearer('a'), 'content-type': 'application/jsonl' }

describe.skipIf(!hasRedis())('a job that the server has lost', () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await startRedis(['--appendonly', 'no'])
  })
  afterAll(() => redis.stop())

  it('is worked on no more, and its other lines are not charged', async () => {
    const store = await openJobStore({ connection: redis.url, keys })
    const fake = createFakeEngine()
    const lines: RequestLog[] = []
    const server = createServer({
      engine: fake.engine as Engine,
      store: createMemoryStore(),
      jobs: { store },
      keys: [{ key: 'a', id: 'me' }],
      log: (entry) => void lines.push(entry),
    })
    fake.hold()
    const batch = Array.from({ length: 40 }, (_, at) => JSON.stringify({ custom_id: `c${at}`, ...BODY })).join('\n')
    const { id } = await json(server.fetch(post(batch, { path: '/v1/batches', headers })))
    await expect.poll(() => fake.running).toBeGreaterThan(0)
    await redis.flush()
    await expect.poll(() => fake.running, { timeout: 30_000 }).toBe(0)
    fake.release()
    expect((await server.fetch(get(`/v1/jobs/${id}`, { headers }))).status).toBe(404)
    await expect.poll(() => lines.map(({ route }) => route)).toContain('/v1/batches')
    expect(await server.usage('me')).toEqual([])
    await server.close()
    await store.close()
  }, 100_000)
})

it.skipIf(!hasRedis())(
  'a job is not lost with a server that has lost its place, and has nothing yet of the one that took it',
  async () => {
    const redis = await startRedis()
    const store = await openJobStore({ connection: redis.url, keys })
    const fake = createFakeEngine()
    const server = createServer({ engine: fake.engine as Engine, jobs: { store } })
    fake.hold()
    const batch = JSON.stringify({ custom_id: 'c', ...BODY })
    const { id } = await json(server.fetch(post(batch, { path: '/v1/batches', headers })))
    await expect.poll(() => fake.running).toBe(1)
    // Without its file it begins empty.
    await redis.restart(['--appendonly', 'no', '--replicaof', '127.0.0.1 1'])
    // Two beats and a reconnection fit.
    await sleep(12_000)
    expect(fake.running).toBe(1)
    await redis.restart()
    fake.release()
    const read = async () => (await server.fetch(get(`/v1/jobs/${id}`))).json().catch(() => {})
    await expect.poll(read, { timeout: 30_000 }).toMatchObject({ status: 'succeeded' })
    await server.close()
    await store.close()
    await redis.stop()
  },
  100_000,
)
