import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StoreUnavailableError } from '../../errors/index.ts'
import { createServer, type Server } from '../server.ts'
import { bearer, BODY, IMAGE_BODIES, json, post } from '../test-support/requests.ts'
import { createStubEngine, type StubEngine } from '../test-support/stub-engine.ts'
import { withClock } from '../test-support/with-clock.ts'
import { createMemoryStore } from './memory-store.ts'
import type { UsageStore } from './usage-store.ts'

const KEYS = [
  { key: 'k', id: 'a', prepaid: '1' },
  { key: 'other', id: 'b' },
]
const PATHS = [['/v1/systemone', BODY], ...IMAGE_BODIES] as const

let now: number
let store: UsageStore
let stub: StubEngine
let server: Server
beforeEach(() => {
  now = Date.UTC(2026, 10, 30)
  store = withClock(createMemoryStore(), () => now)
  stub = createStubEngine()
  server = open()
})

const open = () => createServer({ engine: stub.engine, keys: KEYS, store })

function send(path: string, body: object, { name = '1', key = 'k', signal, to = server }: Partial<Sent> = {}) {
  const headers = { ...bearer(key), 'idempotency-key': name }
  return to.fetch(post(body, { path, headers, ...(signal && { signal }) }))
}

interface Sent {
  name: string
  key: string
  signal: AbortSignal
  to: Server
}

const requests = async () => (await server.usage('a')).reduce((sum, row) => sum + row.requests, 0)

describe.each(PATHS)('%s with an Idempotency-Key', (path, body) => {
  it('is charged once, and computed again when it comes again', async () => {
    const first = await send(path, body)
    const second = await send(path, body)
    expect([first.status, second.status]).toEqual([200, 200])
    expect(stub.counts.decided + stub.drawn.length).toBe(2)
    expect(await requests()).toBe(1)
    await send(path, body, { name: '2' })
    expect(await requests()).toBe(2)
  })

  it('joins the one that runs', async () => {
    const go = stub.hold()
    const answers = [send(path, body), send(path, body), send(path, body)]
    await vi.waitUntil(() => stub.counts.running === 1, { timeout: 60_000 })
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(stub.counts.running).toBe(1)
    go()
    const texts = await Promise.all(answers.map(async (answer) => (await answer).text()))
    expect(new Set(texts).size).toBe(1)
    expect(await requests()).toBe(1)
  })

  it('with another body is refused with 409, while it runs and afterwards', async () => {
    const other = { ...body, model: 'decide-latest', prompt: 'Another', state: 'Another' }
    const running = send(path, body)
    for (let time = 0; time < 2; time++) {
      const refused = await send(path, other)
      expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([409, 'false'])
      expect(await json(refused)).toMatchObject({
        error_type: 'idempotency_error',
        message: 'Idempotency-Key: was used for another request; take a new one',
      })
      expect((await running).status).toBe(200)
    }
  })
})

it('are those of one account', async () => {
  await send('/v1/systemone', BODY)
  expect((await send('/v1/systemone', { ...BODY, state: 'Another' }, { key: 'other' })).status).toBe(200)
})

it('mean nothing after a day', async () => {
  await send('/v1/systemone', BODY)
  vi.useFakeTimers({ now: Date.now() + 24 * 3600 * 1000 + 1 })
  const late = await send('/v1/systemone', { ...BODY, state: 'Another' })
  vi.useRealTimers()
  expect(late.status).toBe(200)
  expect(await requests()).toBe(2)
})

describe('whose clients hang up', () => {
  const hangUp = async (path: string, body: object) => {
    const controller = new AbortController()
    const answer = send(path, body, { signal: controller.signal })
    await vi.waitUntil(() => stub.counts.running === 1, { timeout: 60_000 })
    await new Promise((resolve) => setImmediate(resolve))
    controller.abort()
    expect((await answer).status).toBe(499)
    expect([stub.counts.running, stub.counts.aborted]).toEqual([1, 0])
  }

  let go = () => {}
  beforeEach(() => {
    go = stub.hold()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('go on for the others when the first one does', async () => {
    const other = send('/v1/systemone', BODY)
    await hangUp('/v1/systemone', BODY)
    go()
    expect((await other).status).toBe(200)
    expect([stub.counts.decided, await requests()]).toEqual([1, 1])
  })

  it('are joined by the next try, while they run and when they are done, and charged once', async () => {
    await hangUp('/v1/systemone', BODY)
    await hangUp('/v1/systemone', BODY)
    go()
    await vi.waitUntil(() => stub.counts.running === 0, { timeout: 60_000 })
    // Nobody has got it so far.
    expect(await requests()).toBe(0)
    expect((await send('/v1/systemone', BODY)).status).toBe(200)
    expect([stub.counts.decided, await requests()]).toEqual([1, 1])
    expect((await send('/v1/systemone', BODY)).status).toBe(200)
    expect([stub.counts.decided, await requests()]).toEqual([2, 1])
  })

  it('keep their key for another try meanwhile, refuse another body, and free it after 10 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await hangUp('/v1/systemone', BODY)
    const other = { ...BODY, state: 'Another' }
    expect((await send('/v1/systemone', other)).status).toBe(409)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(stub.counts).toMatchObject({ running: 0, aborted: 1 })
    go()
    expect((await send('/v1/systemone', other)).status).toBe(200)
    expect(await requests()).toBe(1)
  })

  it('stop at once where they are edits', async () => {
    const [path, body] = IMAGE_BODIES[1]
    const controller = new AbortController()
    const answer = send(path, body, { signal: controller.signal })
    await vi.waitUntil(() => stub.counts.running === 1, { timeout: 60_000 })
    controller.abort()
    expect((await answer).status).toBe(499)
    await vi.waitUntil(() => stub.counts.aborted === 1, { timeout: 60_000 })
  })
})

it('may be used again after a failure', async () => {
  stub.failure = new Error('no')
  expect((await send('/v1/systemone', BODY)).status).toBe(500)
  stub.failure = undefined
  expect((await send('/v1/systemone', { ...BODY, state: 'Another' })).status).toBe(200)
})

it('may be used again soon after a failure while the store was away', async () => {
  let isAway = false
  const atTimes: UsageStore = {
    ...store,
    update: async (...change) => {
      if (isAway) throw new StoreUnavailableError('away')
      return store.update(...change)
    },
  }
  const to = createServer({ engine: stub.engine, keys: KEYS, store: atTimes })
  const go = stub.hold()
  stub.failure = new Error('no')
  const failing = send('/v1/systemone', BODY, { to })
  await vi.waitUntil(() => stub.counts.running === 1, { timeout: 60_000 })
  isAway = true
  go()
  expect((await failing).status).toBeGreaterThanOrEqual(500)
  stub.failure = undefined
  isAway = false
  // The clock of the store stands still, so its lease does not end.
  expect((await send('/v1/systemone', BODY, { to })).status).toBe(200)
  expect(await requests()).toBe(1)
})

it('wait for the process that answers them, and are answered without charge then', async () => {
  const go = stub.hold()
  const first = send('/v1/systemone', BODY)
  await vi.waitUntil(() => stub.counts.running === 1, { timeout: 60_000 })
  const second = send('/v1/systemone', BODY, { to: open() })
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(stub.counts.running).toBe(1)
  go()
  expect([(await first).status, (await second).status]).toEqual([200, 200])
  expect([stub.counts.decided, await requests()]).toEqual([2, 1])
})

it('are taken over from a process that is gone, and charged once even if it comes back', async () => {
  const go = stub.hold()
  const frozen = send('/v1/systemone', BODY)
  await vi.waitUntil(() => stub.counts.running === 1, { timeout: 60_000 })
  now += 60_000
  stub.gate = Promise.resolve()
  expect((await send('/v1/systemone', BODY, { to: open() })).status).toBe(200)
  go()
  expect((await frozen).status).toBe(200)
  expect(await requests()).toBe(1)
})

it.each(['', 'x'.repeat(256), 'é'])('are refused where they are %j', async (name) => {
  const refused = await send('/v1/systemone', BODY, { name })
  expect(refused.status).toBe(400)
  expect(await json(refused)).toMatchObject({ message: /^Idempotency-Key: must be 1 to 255/ })
})

it('leave nothing of the request in the store', async () => {
  const documents: string[] = []
  const kept = createMemoryStore()
  const watched: UsageStore = {
    ...kept,
    update: (name, change, options) =>
      kept.update(
        name,
        (...now) => {
          const next = change(...now)
          documents.push(`${name} ${next}`)
          return next
        },
        options,
      ),
  }
  const to = createServer({ engine: stub.engine, keys: KEYS, store: watched })
  await send('/v1/systemone', BODY, { to, name: 'CANARY' })
  expect(documents.length).toBeGreaterThan(2)
  expect(documents.join('\n')).not.toMatch(/CANARY|invoice|urgent/)
})
