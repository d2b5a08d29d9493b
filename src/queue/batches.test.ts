import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../test/helpers/redis-server.ts'
import { createServer, openRedisStore, type Server } from '../http/index.ts'
import { BODY, bearer, get, json, post } from '../http/test-support/requests.ts'
import { createQueueEngine, openJobStore, type RunningWorker, runWorker } from './index.ts'
import { createFakeEngine, type FakeEngine } from './test-support/fake-engine.ts'
import { Programs } from './test-support/programs.ts'
import { keys } from './test-support/queue-keys.ts'
import { readAll } from './test-support/read-all.ts'

const headers = bearer('a')
/** On a busy machine the store may answer too late, and a charge is made a second after. */
const LATE = { timeout: 15_000 }

describe.skipIf(!hasRedis())('batches of several fronts', () => {
  let redis: TestRedis
  let fake: FakeEngine
  let worker: RunningWorker
  const programs = new Programs()
  const closing: (() => Promise<void>)[] = []
  beforeAll(async () => {
    redis = await startRedis()
  })
  beforeEach(async () => {
    fake = createFakeEngine()
    worker = await runWorker(fake.engine, { connection: redis.url, keys, concurrency: 8 })
  })
  afterEach(async () => {
    fake.release()
    programs.killAll()
    for (const close of closing.splice(0)) await close()
    await worker.close(0)
    await redis.flush()
  })
  afterAll(() => redis.stop())

  async function front(): Promise<Server> {
    const store = await openRedisStore(redis.url, { acceptLoss: true })
    const jobs = await openJobStore({ connection: redis.url, keys })
    const engine = createQueueEngine({ connection: redis.url, keys })
    const server = createServer({
      engine,
      store,
      jobs: { store: jobs, concurrency: 100 },
      webhooks: { secret: `whsec_${randomBytes(32).toString('base64')}`, allowPrivate: true },
      keys: [{ key: 'a', id: 'me', freeTokens: 1000 }],
    })
    closing.push(async () => {
      await server.close()
      await Promise.all([engine.dispose(), store.close(), jobs.close()])
    })
    return server
  }

  const batchOf = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      JSON.stringify({ custom_id: `c${index}`, ...BODY, state: `CANARY ${index}` }),
    )

  async function start(server: Server, lines: readonly string[], more = {}): Promise<string> {
    const init = { path: '/v1/batches', headers: { ...headers, 'content-type': 'application/jsonl', ...more } }
    const response = await server.fetch(post(lines.join('\n'), init))
    expect(response.status).toBe(202)
    return String((await json(response))['id'])
  }

  const read = (server: Server, id: string) => json(server.fetch(get(`/v1/jobs/${id}`, { headers })))
  const resultsOf = async (server: Server, id: string) =>
    (await (await server.fetch(get(`/v1/batches/${id}/results`, { headers }))).text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))

  it('are answered by workers, and read at any of them', async () => {
    const [one, two] = [await front(), await front()]
    const id = await start(one, [...batchOf(40), 'broken'])
    await expect
      .poll(() => read(two, id), { timeout: 15_000 })
      .toMatchObject({ status: 'succeeded', counts: { succeeded: 40, failed: 1 } })
    const results = await resultsOf(two, id)
    expect(new Set(results.map(({ custom_id }) => custom_id)).size).toBe(41)
    await expect.poll(() => two.usage('me'), LATE).toMatchObject([{ requests: 40, units: 40 }])
  }, 30_000)

  it('of a front that closes are taken over, and each line is charged once', async () => {
    const [one, two] = [await front(), await front()]
    let calls = 0
    const { decide } = fake.engine
    Object.assign(fake.engine, {
      decide: (...call: Parameters<typeof decide>) => {
        if (++calls === 30) fake.hold()
        return decide(...call)
      },
    })
    const id = await start(one, batchOf(50))
    await expect.poll(async () => (await one.usage('me'))[0]?.requests ?? 0, { timeout: 10_000 }).toBeGreaterThan(10)
    await expect.poll(() => fake.running, { timeout: 10_000 }).toBe(8)
    await one.close()
    fake.release()
    const before = calls
    await expect
      .poll(() => read(two, id), { timeout: 70_000 })
      .toMatchObject({ status: 'succeeded', counts: { succeeded: 50 } })
    // Those that the workers had or that waited for one may be asked again; all fifty were, in its place, when nothing was kept.
    expect(calls - before).toBeLessThan(50 - 10)
    await expect.poll(() => two.usage('me'), LATE).toMatchObject([{ requests: 50, units: 50 }])
    expect((await resultsOf(two, id)).map(({ custom_id }) => custom_id).sort()).toEqual(
      batchOf(50)
        .map((_, index) => `c${index}`)
        .sort(),
    )
  }, 90_000)

  it('of a front that is killed go on with the lines that have no answer yet', async () => {
    const args = await Programs.of('front-script')
    const program = await programs.start(args(redis.url, keys), 'listening on')
    const { decide } = fake.engine
    const asked: string[] = []
    Object.assign(fake.engine, {
      decide: (...call: Parameters<typeof decide>) => {
        if (asked.push(call[0].state as string) === 40) fake.hold()
        return decide(...call)
      },
    })
    const url = program.printed().trim().slice('listening on '.length)
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/jsonl' } }
    const { id } = (await (await fetch(`${url}/v1/batches`, { ...init, body: batchOf(60).join('\n') })).json()) as {
      readonly id: string
    }
    await expect.poll(() => fake.running, { timeout: 10_000 }).toBe(8)
    const first = asked.splice(0)
    // What was answered is kept a second later.
    await sleep(2000)
    program.child.kill('SIGKILL')
    const two = await front()
    fake.release()
    await expect
      .poll(() => read(two, id), { timeout: 90_000, interval: 500 })
      .toMatchObject({ status: 'succeeded', counts: { total: 60, succeeded: 60, failed: 0 } })
    // Only those that workers had, or that waited for one, when it was killed.
    const answered = new Set(first.slice(0, -8))
    expect(answered.size).toBeGreaterThan(20)
    expect(asked.filter((state) => answered.has(state))).toEqual([])
    expect((await resultsOf(two, id)).map(({ line }) => line).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 60 }, (_, index) => index + 1),
    )
    await expect.poll(() => two.usage('me'), LATE).toMatchObject([{ requests: 60 }])
    expect(await readAll(redis.url)).not.toContain('job-parts')
  }, 120_000)

  it('hold nothing readable, their webhooks neither, and nothing of their requests when they are over', async () => {
    const server = await front()
    fake.hold()
    // Nobody listens there.
    const id = await start(server, batchOf(12), { 'tessera-webhook': 'http://127.0.0.1:9/CANARY' })
    await expect.poll(() => fake.running).toBe(8)
    const during = await readAll(redis.url)
    expect(during).toContain('k1.')
    for (const canary of ['CANARY', Buffer.from('CANARY').toString('base64').slice(0, 7)])
      expect(during).not.toContain(canary)
    fake.release()
    await expect.poll(() => read(server, id), { timeout: 10_000 }).toMatchObject({ status: 'succeeded' })
    expect(await readAll(redis.url)).not.toContain('CANARY')
    await server.fetch(get(`/v1/jobs/${id}`, { headers, method: 'DELETE' }))
    // The webhook alone, which is tried again.
    await expect
      .poll(async () => (await readAll(redis.url)).match(/k1\..*\n.*/g))
      .toEqual([expect.stringContaining('tessera-queue:webhooks:')])
  }, 30_000)
})
