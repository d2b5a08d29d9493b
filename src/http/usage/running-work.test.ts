import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createServer, type Server } from '../server.ts'
import { bearer, BODY, get, IMAGE_BODIES, json, post } from '../test-support/requests.ts'
import { createStubEngine, type StubEngine } from '../test-support/stub-engine.ts'
import { createMemoryStore } from './memory-store.ts'
import type { UsageStore } from './usage-store.ts'

const KEYS = [
  { key: 'k', id: 'a', prepaid: '1' },
  { key: 'other', id: 'b' },
]
const JOINED = [['/v1/systemone', BODY], IMAGE_BODIES[0]] as const

let stub: StubEngine
let store: UsageStore
let server: Server
let go: () => void
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  stub = createStubEngine()
  go = stub.hold()
  store = createMemoryStore()
  server = createServer({ engine: stub.engine, keys: KEYS, store })
})
afterEach(() => {
  vi.useRealTimers()
})

function send(path: string, body: object, { key = 'k', signal }: { key?: string; signal?: AbortSignal } = {}) {
  return server.fetch(post(body, { path, headers: bearer(key), ...(signal && { signal }) }))
}

const running = (count: number) => vi.waitUntil(() => stub.counts.running === count, { timeout: 10_000 })
const requests = async (account = 'a') => (await server.usage(account)).reduce((sum, row) => sum + row.requests, 0)
const left = async () => (await json(server.fetch(get('/v1/usage', { headers: bearer('k') })))).prepaid

/** A first try whose client gives up while it runs. */
async function giveUp(path: string, body: object, key = 'k'): Promise<void> {
  const controller = new AbortController()
  const before = stub.counts.running
  const answer = send(path, body, { key, signal: controller.signal })
  await running(before + 1)
  controller.abort()
  expect((await answer).status).toBe(499)
}

describe.each(JOINED)('%s, sent again after its client gave up,', (path, body) => {
  it('takes over what runs, and is charged once', async () => {
    await giveUp(path, body)
    const second = send(path, body)
    await vi.advanceTimersByTimeAsync(9000)
    go()
    expect((await second).status).toBe(200)
    expect([stub.clients.length, stub.counts.aborted, await requests()]).toEqual([1, 0, 1])
  })

  it('may give up once more', async () => {
    await giveUp(path, body)
    const controller = new AbortController()
    const second = send(path, body, { signal: controller.signal })
    await vi.advanceTimersByTimeAsync(9000)
    controller.abort()
    expect((await second).status).toBe(499)
    await vi.advanceTimersByTimeAsync(9000)
    go()
    expect((await send(path, body)).status).toBe(200)
    expect([stub.clients.length, await requests()]).toEqual([1, 1])
  })

  it('has the answer that was made in between, for a minute, and then no longer', async () => {
    await giveUp(path, body)
    go()
    await running(0)
    expect(await requests()).toBe(0)
    await vi.advanceTimersByTimeAsync(59_000)
    expect((await send(path, body)).status).toBe(200)
    expect([stub.clients.length, await requests()]).toEqual([1, 1])
    // It was taken: the next one is a request of its own.
    expect((await send(path, body)).status).toBe(200)
    expect([stub.clients.length, await requests()]).toEqual([2, 2])

    go = stub.hold()
    await giveUp(path, body)
    go()
    await running(0)
    await vi.advanceTimersByTimeAsync(61_000)
    expect((await send(path, body)).status).toBe(200)
    expect([stub.clients.length, await requests()]).toEqual([4, 3])
  })

  it('is stopped after 10 seconds where it is not, and nothing is charged or set aside', async () => {
    const before = await left()
    await giveUp(path, body)
    expect(await left()).not.toEqual(before)
    await vi.advanceTimersByTimeAsync(9000)
    expect(stub.counts).toMatchObject({ aborted: 0, running: 1 })
    await vi.advanceTimersByTimeAsync(1000)
    expect(stub.counts).toMatchObject({ aborted: 1, running: 0 })
    expect([await requests(), await left()]).toEqual([0, before])
  })

  it('gives back what an answer had set aside that nobody came for', async () => {
    const before = await left()
    await giveUp(path, body)
    go()
    await running(0)
    await vi.advanceTimersByTimeAsync(60_000)
    expect([await requests(), await left()]).toEqual([0, before])
  })
})

it('work that is left is that of one account, one endpoint and one body', async () => {
  await giveUp('/v1/systemone', BODY)
  void send('/v1/systemone', BODY, { key: 'other' })
  await running(2)
  void send('/v1/systemone', { ...BODY, state: 'Another' })
  await running(3)
  void send('/v1/images/generations', { prompt: 'x' })
  await running(4)
  go()
})

it('requests that run at the same time are each their own', async () => {
  const both = [send('/v1/systemone', BODY), send('/v1/systemone', BODY)]
  await running(2)
  go()
  await Promise.all(both)
  expect(await requests()).toBe(2)
})

it('a try that fails leaves nothing to the next', async () => {
  await giveUp('/v1/systemone', BODY)
  stub.failure = new Error('no')
  go()
  await running(0)
  stub.failure = undefined
  expect((await send('/v1/systemone', BODY)).status).toBe(200)
  expect([stub.clients.length, await requests()]).toEqual([2, 1])
})

it('there is little of it: four of an account, sixteen in all; more stops at once', async () => {
  for (let index = 0; index < 4; index++) await giveUp('/v1/systemone', { ...BODY, state: `${index}` })
  expect(stub.counts.aborted).toBe(0)
  await giveUp('/v1/systemone', { ...BODY, state: 'fifth' })
  expect(stub.counts).toMatchObject({ aborted: 1, running: 4 })
  server = createServer({ engine: stub.engine, keys: Array.from({ length: 5 }, (_, index) => `k${index}`) })
  for (let index = 0; index < 17; index++) {
    await giveUp('/v1/systemone', { ...BODY, state: `${index}` }, `k${index % 5}`)
  }
  expect(stub.counts).toMatchObject({ aborted: 2, running: 20 })
})

it.each([
  ['edits', ...IMAGE_BODIES[1]],
  ['streams', IMAGE_BODIES[0][0], { ...IMAGE_BODIES[0][1], stream: true }],
  ['pictures that follow one', IMAGE_BODIES[0][0], { ...IMAGE_BODIES[0][1], control: { image: 'aGVsbG8=' } }],
] as const)('%s stop at once', async (_, path, body) => {
  const controller = new AbortController()
  const answer = send(path, body, { signal: controller.signal })
  await running(1)
  controller.abort()
  await (await answer).text().catch(() => {})
  await running(0)
  expect(stub.counts.aborted).toBe(1)
})

it('ends with the server, which gives back what it had set aside', async () => {
  const before = await left()
  await giveUp('/v1/systemone', BODY)
  await giveUp('/v1/systemone', { ...BODY, state: 'x' })
  await server.close()
  expect(stub.counts).toMatchObject({ aborted: 2, running: 0 })
  server = createServer({ engine: stub.engine, keys: KEYS, store })
  expect(await left()).toEqual(before)
})

describe('a client that says which try it is', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })

  const tryAgain = (count: number, name = 'x-typesafe-retry-count') =>
    server.fetch(post(BODY, { path: '/v1/systemone', headers: { ...bearer('k'), [name]: String(count) } }))

  async function giveUpAfter(milliseconds: number): Promise<void> {
    const controller = new AbortController()
    const answer = send('/v1/systemone', BODY, { signal: controller.signal })
    await running(1)
    await vi.advanceTimersByTimeAsync(milliseconds)
    controller.abort()
    expect((await answer).status).toBe(499)
  }

  it.each(['x-typesafe-retry-count', 'x-stainless-retry-count'])(
    'is told by %s when to come again before it gives up a second time, and then has the answer',
    async (name) => {
      await giveUpAfter(10_000)
      let told: Response | undefined
      const second = tryAgain(1, name).then((response) => (told = response))
      await vi.advanceTimersByTimeAsync(8900)
      expect(told).toBeUndefined()
      await vi.advanceTimersByTimeAsync(200)
      const { status, headers } = await second
      expect([status, headers.get('retry-after-ms'), headers.get('retry-after')]).toEqual([529, '10000', '10'])
      expect(await json(second)).toMatchObject({ error_type: 'overloaded', message: /^the answer is not ready yet/ })
      // It goes on for as long as the client was told to wait, and 10 seconds longer.
      await vi.advanceTimersByTimeAsync(19_000)
      const third = tryAgain(2, name)
      await vi.advanceTimersByTimeAsync(30_000)
      go()
      expect((await third).status).toBe(200)
      expect([stub.clients.length, stub.counts.aborted, await requests()]).toEqual([1, 0, 1])
    },
  )

  it('waits as before where it is the first try, the third one, or joins nothing', async () => {
    await giveUpAfter(10_000)
    const third = tryAgain(2)
    await vi.advanceTimersByTimeAsync(60_000)
    const own = tryAgain(1)
    await running(2)
    await vi.advanceTimersByTimeAsync(60_000)
    go()
    expect([(await third).status, (await own).status]).toEqual([200, 200])
  })

  it.each(['-1', 'x', '1e3', ''])('may say %j, which counts as nothing', async (count) => {
    await giveUpAfter(1000)
    const again = server.fetch(
      post(BODY, { path: '/v1/systemone', headers: { ...bearer('k'), 'x-typesafe-retry-count': count } }),
    )
    await vi.advanceTimersByTimeAsync(5000)
    go()
    expect((await again).status).toBe(200)
  })
})
