import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../../test/helpers/redis-server.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { bundleWorker } from '../../engine/test-support/bundle-worker.ts'
import { createServer, openRedisStore, type Server } from '../index.ts'
import { bearer, IMAGE_BODIES, post } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { withClock } from '../test-support/with-clock.ts'
import type { UsageStore } from './usage-store.ts'

const KEYS = [
  { key: 'paid', id: 'paid', prepaid: '1000' },
  { key: 'free', id: 'free' },
  { key: 'counted', id: 'counted', requestsPerMinute: 100_000 },
]
const [PATH, PICTURE] = IMAGE_BODIES[0]

describe.skipIf(!hasRedis())('a Redis server that fails', () => {
  let redis: TestRedis
  let folder: string
  let store: UsageStore
  let server: Server
  /** Of a picture, in milliseconds. */
  let duration: number
  beforeEach(async () => {
    redis = await startRedis()
    folder = temporaryFolder()
    store = await openRedisStore(redis.url)
    duration = 20
    server = open()
  })
  afterEach(async () => {
    redis.thaw()
    await server.close()
    await store.close()
    await redis.stop()
  })

  function open(): Server {
    const { engine } = createStubEngine()
    const { generateImage } = engine
    engine.generateImage = async (...call) => {
      await sleep(duration)
      return generateImage(...call)
    }
    return createServer({ engine, keys: KEYS, store, journal: folder })
  }

  const draw = async (key: string) => (await server.fetch(post(PICTURE, { path: PATH, headers: bearer(key) }))).status

  /** Clients that draw one picture after another, until they are told to stop. */
  function startLoad() {
    const answers = { 200: 0, 503: 0 }
    const unexpected: number[] = []
    const stopped = new AbortController()
    const clients = KEYS.flatMap(({ key }) => [key, key]).map(async (key) => {
      while (!stopped.signal.aborted) {
        const status = await draw(key)
        if (status === 200 || status === 503) answers[status]++
        else unexpected.push(status)
      }
    })
    return {
      async stop() {
        stopped.abort()
        await Promise.all(clients)
        return { answers, unexpected }
      },
    }
  }

  async function charged(): Promise<number> {
    const rows = await Promise.all(KEYS.map(({ id }) => server.usage(id)))
    return rows.flat().reduce((sum, { units }) => sum + units, 0)
  }

  it.each([
    // Longer than what runs waits to be charged, 2 s, and what comes after it waits to be let in, 2 s more.
    ['is frozen for 7 seconds', 7000, () => redis.freeze(), () => redis.thaw()],
    ['is killed and started again', 7000, () => redis.kill(), () => redis.restart()],
  ])('and %s gives 503, and charges every answer once', async (_, pause, fail, mend) => {
    const load = startLoad()
    await sleep(300)
    await fail()
    await sleep(pause)
    await mend()
    await expect.poll(() => draw('paid'), { timeout: 120_000 }).toBe(200)
    await sleep(300)
    const { answers, unexpected } = await load.stop()
    expect(unexpected).toEqual([])
    expect(answers[503]).toBeGreaterThan(0)
    // What waited for the server is charged within its next tries.
    await expect.poll(() => readdir(folder), { timeout: 120_000 }).toEqual([])
    const polled = (await server.usage('paid')).length
    expect(polled).toBe(1)
    const direct = (await charged()) - answers[200]
    // The picture that showed that it is back is charged as well.
    expect(direct).toBe(1)
  })

  it('and never comes back leaves the charges to the next process', async () => {
    duration = 1000
    const running = Promise.all(['paid', 'free'].map(draw))
    await sleep(300)
    await redis.kill()
    expect(await running).toEqual([200, 200])
    await server.close()
    expect(await readdir(folder)).toHaveLength(2)
    await store.close()
    await redis.restart()
    store = await openRedisStore(redis.url)
    server = open()
    await expect.poll(charged, { timeout: 120_000 }).toBe(2)
    await expect.poll(() => readdir(folder), { timeout: 120_000 }).toEqual([])
  })

  it('and is frozen does not keep the process from ending', async () => {
    redis.freeze()
    const began = performance.now()
    await server.close()
    await store.close()
    expect(performance.now() - began).toBeLessThan(5000)
  })

  it('and is away does not keep the process from ending, whatever waits for it', async () => {
    await redis.kill()
    // By then the client waits between two attempts, and has no socket whose end would tell of anything.
    await sleep(1500)
    const reading = store.read('a').catch((error: Error) => error)
    const began = performance.now()
    await store.close()
    expect(performance.now() - began).toBeLessThan(5000)
    expect(await reading).toBeInstanceOf(Error)
  })
})

describe.skipIf(!hasRedis())('a process that is killed in the midst of its work', () => {
  it('holds nothing a minute later', async () => {
    const redis = await startRedis()
    const script = await bundleWorker('src/http/test-support/request-that-never-ends.ts', 'request-that-never-ends')
    const child = spawn(process.execPath, [fileURLToPath(script), redis.url], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    const kept = await openRedisStore(redis.url)
    let later = 0
    const store = withClock(kept, () => Date.now() + later)
    const { engine } = createStubEngine()
    const server = createServer({ engine, store, keys: [{ key: 'k', id: 'a', prepaid: '1' }] })
    const draw = async () =>
      (await server.fetch(post({ ...PICTURE, n: 4 }, { path: PATH, headers: bearer('k') }))).status
    expect(await draw()).toBe(402)
    later = 60_000
    expect(await draw()).toBe(200)
    expect(await server.usage('a')).toMatchObject([{ requests: 1, units: 4, cost: '0.8' }])
    await kept.close()
    await redis.stop()
  })
})
