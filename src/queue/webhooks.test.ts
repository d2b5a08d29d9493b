import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../test/helpers/redis-server.ts'
import { WebhookReceiver } from '../../test/helpers/webhook-receiver.ts'
import type { Engine } from '../engine/index.ts'
import { createServer, type KeyConfig, openRedisStore, type Server, type WebhookOptions } from '../http/index.ts'
import { BODY, bearer, get, json, post } from '../http/test-support/requests.ts'
import { connectRedis } from '../redis/connect-redis.ts'
import { createQueueEngine, openJobStore, type RunningWorker, runWorker } from './index.ts'
import { createFakeEngine } from './test-support/fake-engine.ts'
import { type Program, Programs } from './test-support/programs.ts'
import { keys } from './test-support/queue-keys.ts'
import { readAll } from './test-support/read-all.ts'

const secret = `whsec_${randomBytes(32).toString('base64')}`
const headers = bearer('a')
const OWN_KEYS: (string | KeyConfig)[] = [
  { key: 'a', id: 'me', prepaid: '1' },
  { key: 'm', scopes: ['metrics'] },
]
/** Longer than the lease of a try. */
const LEASE = { timeout: 40_000 }

describe.skipIf(!hasRedis() || process.platform === 'win32')('webhooks of several fronts', () => {
  let redis: TestRedis
  let worker: RunningWorker
  let url: string
  const programs = new Programs()
  const closing: (() => Promise<void>)[] = []
  const receiver = new WebhookReceiver()
  const { received, answers } = receiver

  beforeAll(async () => {
    redis = await startRedis()
    const server = createServer({ engine: createFakeEngine().engine as Engine, webhooks: { secret }, keys: OWN_KEYS })
    const { secrets } = await json(server.fetch(get('/v1/webhook-secret', { headers })))
    receiver.secrets.push(...(secrets as string[]))
    await server.close()
    url = `${await receiver.listen()}/CANARY`
  })
  beforeEach(async () => {
    worker = await runWorker(createFakeEngine().engine, { connection: redis.url, keys })
  })
  afterEach(async () => {
    programs.killAll()
    receiver.reset()
    for (const close of closing.splice(0)) await close()
    await worker.close(0)
    const client = await connectRedis(redis.url)
    await client.flushAll()
    client.destroy()
  })
  afterAll(async () => {
    receiver.close()
    await redis.stop()
  })

  async function front(webhooks: WebhookOptions = { secret, allowPrivate: true }): Promise<Server> {
    const store = await openRedisStore(redis.url, { acceptLoss: true })
    const jobs = await openJobStore({ connection: redis.url, keys })
    const engine = createQueueEngine({ connection: redis.url, keys })
    const server = createServer({
      engine,
      store,
      jobs: { store: jobs },
      webhooks,
      keys: OWN_KEYS,
    })
    closing.push(async () => {
      await server.close()
      await Promise.all([engine.dispose(), store.close(), jobs.close()])
    })
    return server
  }

  const asking = () => ({ ...headers, prefer: 'respond-async', 'tessera-webhook': url })
  const start = async (server: Server) => json(server.fetch(post(BODY, { headers: asking() })))
  const metricsOf = async (server: Server) => (await server.fetch(get('/metrics', { headers: bearer('m') }))).text()

  /** A front in a process of its own, which was asked for a job. */
  async function startedElsewhere(): Promise<{ readonly program: Program; readonly id: string }> {
    const args = await Programs.of('front-script')
    const program = await programs.start(args(redis.url, keys, secret), 'listening on')
    const base = program.printed().trim().slice('listening on '.length)
    const init = { method: 'POST', headers: { ...asking(), 'content-type': 'application/json' } }
    const response = await fetch(`${base}/v1/systemone`, { ...init, body: JSON.stringify(BODY) })
    expect(response.status).toBe(202)
    return { program, id: ((await response.json()) as { readonly id: string }).id }
  }

  async function kill({ child }: Program): Promise<void> {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  /** That so many tries came, all the same webhook of that job, each signed. */
  function expectTries(count: number, id: unknown): void {
    expect(received).toEqual(
      Array.from({ length: count }, () => ({
        id: received[0]!.id,
        isSigned: true,
        body: expect.objectContaining({
          type: 'job.succeeded',
          data: expect.objectContaining({ id, status: 'succeeded' }),
        }),
      })),
    )
  }

  const untilNothingIsLeft = async () => {
    await expect.poll(() => readAll(redis.url), { timeout: 10_000 }).not.toContain('tessera-queue:webhooks')
  }

  it('that a killed front was sending are sent by another, under the same id', async () => {
    answers.push('hold')
    const { program, id } = await startedElsewhere()
    await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1)
    await kill(program)
    const two = await front()
    await expect.poll(() => received.length, LEASE).toBe(2)
    expectTries(2, id)
    await expect
      .poll(() => metricsOf(two), { timeout: 10_000 })
      .toContain('tessera_webhooks_total{outcome="delivered"} 1')
    await untilNothingIsLeft()
  }, 90_000)

  it('whose front is killed between two tries are tried by another', async () => {
    answers.push(500, 503)
    const { program, id } = await startedElsewhere()
    await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1)
    // What came of the try is known to the store.
    await expect
      .poll(() => nextTries())
      .toEqual([expect.toSatisfy((next) => next > Date.now() + 3000 && next <= Date.now() + 5000)])
    await kill(program)
    const two = await front()
    await expect.poll(() => received.length, { timeout: 10_000 }).toBe(2)
    // It counts the tries of the front before: the next one is half a minute later, and not 5 seconds.
    await expect
      .poll(() => nextTries(), { timeout: 10_000 })
      .toEqual([expect.toSatisfy((next) => next > Date.now() + 20_000)])
    await two.close()
    await front()
    await expect.poll(() => received.length, LEASE).toBe(3)
    expectTries(3, id)
  }, 90_000)

  it('of a job whose front ended in the moment when it was over are sent by another', async () => {
    // The store alone, as no front lives for so short a time.
    const store = await openJobStore({ connection: redis.url, keys })
    const job = {
      id: `job_${'7'.repeat(32)}`,
      account: 'me',
      path: '/v1/systemone',
      createdAt: 5,
      keepMs: 1000,
      webhook: url,
      bytes: 0,
    }
    await store.add({ ...job, status: 'queued' })
    expect(await store.write({ ...job, status: 'succeeded', endedAt: 6, result: 'x' })).toBe(true)
    // Another end, of a front that was thought dead, is none.
    expect(await store.write({ ...job, status: 'failed', endedAt: 7 })).toBe(false)
    expect(await store.write({ ...job, status: 'running' })).toBe(false)
    expect(await store.read(job.id)).toMatchObject({ status: 'succeeded' })
    await store.close()
    await front()
    await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1)
    expectTries(1, job.id)
    expect(received[0]!.id).toBe(`msg_${'7'.repeat(32)}_5`)
  })

  it('of a front that is told to stop are sent by another at once', async () => {
    const [one, two] = [await front(), await front({})]
    answers.push('hold')
    const { id } = await start(one)
    await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1)
    await one.close()
    const stopped = performance.now()
    // One without a secret leaves them to those that have one.
    expect(await metricsOf(two)).not.toContain('tessera_webhooks_total{')
    await front()
    await expect.poll(() => received.length, { timeout: 10_000 }).toBe(2)
    expect(performance.now() - stopped).toBeLessThan(5000)
    expectTries(2, id)
  }, 30_000)

  it('are not sent to private addresses by a front that takes them over and may not', async () => {
    const one = await front()
    answers.push(500)
    await start(one)
    await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1)
    await one.close()
    const two = await front({ secret })
    await expect.poll(() => metricsOf(two), { timeout: 10_000 }).toContain('tessera_webhooks_total{outcome="failed"} 1')
    expect(received).toHaveLength(1)
    await untilNothingIsLeft()
  }, 30_000)

  it('are tried once while two fronts wait for them, and cannot be read on the server', async () => {
    const [one, two] = [await front(), await front()]
    answers.push(...Array.from({ length: 20 }, () => 500))
    const jobs = await Promise.all(Array.from({ length: 20 }, (_, index) => start(index % 2 ? one : two)))
    await expect.poll(() => received.length, { timeout: 10_000 }).toBe(20)
    const held = await readAll(redis.url)
    expect(held).toContain('tessera-queue:webhooks:job_')
    expect(held).not.toContain('CANARY')
    expect(held).not.toContain(url)
    // The files of the server, whose log has every command.
    const folder = join(redis.folder, 'appendonlydir')
    const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'latin1')))
    expect(files.join('')).toContain('tessera-queue:webhooks:job_')
    expect(files.join('')).not.toContain('CANARY')
    await expect.poll(() => received.length, { timeout: 15_000 }).toBe(40)
    await untilNothingIsLeft()
    const times = new Map<unknown, number>()
    for (const { body } of received) {
      const { id } = body['data'] as { readonly id: unknown }
      times.set(id, (times.get(id) ?? 0) + 1)
    }
    expect(times).toEqual(new Map(jobs.map(({ id }) => [id, 2])))
  }, 60_000)

  async function nextTries(): Promise<number[]> {
    const client = await connectRedis(redis.url)
    const kept = await client.zRangeWithScores('tessera-queue:webhooks', 0, -1)
    client.destroy()
    return kept.map(({ score }) => score)
  }
})
