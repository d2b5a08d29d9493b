import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createServer, type Server } from '../server.ts'
import { bearer, BODY, IMAGE_BODIES, json, post } from '../test-support/requests.ts'
import { createStubEngine, type StubEngine } from '../test-support/stub-engine.ts'
import { withClock } from '../test-support/with-clock.ts'
import { toComparable } from './idempotent-requests.ts'
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
    let go = () => {}
    stub.gate = new Promise<void>((resolve) => (go = resolve))
    const answers = [send(path, body), send(path, body), send(path, body)]
    await vi.waitUntil(() => stub.counts.running === 1)
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

it('go on for the others when the first client hangs up, and stop when none is left', async () => {
  stub.gate = new Promise(() => {})
  const hangUps = [new AbortController(), new AbortController()]
  const answers = hangUps.map(({ signal }) => send('/v1/systemone', BODY, { signal }))
  await vi.waitUntil(() => stub.counts.running === 1)
  hangUps[0]!.abort()
  expect((await answers[0]!).status).toBe(499)
  expect(stub.counts.aborted).toBe(0)
  hangUps[1]!.abort()
  expect((await answers[1]!).status).toBe(499)
  await vi.waitUntil(() => stub.counts.aborted === 1)
  stub.gate = Promise.resolve()
  await vi.waitUntil(async () => (await send('/v1/systemone', BODY)).status === 200)
  expect(await requests()).toBe(1)
})

it('may be used again after a failure', async () => {
  stub.failure = new Error('no')
  expect((await send('/v1/systemone', BODY)).status).toBe(500)
  stub.failure = undefined
  expect((await send('/v1/systemone', { ...BODY, state: 'Another' })).status).toBe(200)
})

it('wait for the process that answers them, and are answered without charge then', async () => {
  let go = () => {}
  stub.gate = new Promise<void>((resolve) => (go = resolve))
  const first = send('/v1/systemone', BODY)
  await vi.waitUntil(() => stub.counts.running === 1)
  const second = send('/v1/systemone', BODY, { to: open() })
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(stub.counts.running).toBe(1)
  go()
  expect([(await first).status, (await second).status]).toEqual([200, 200])
  expect([stub.counts.decided, await requests()]).toEqual([2, 1])
})

it('are taken over from a process that is gone, and charged once even if it comes back', async () => {
  let go = () => {}
  stub.gate = new Promise<void>((resolve) => (go = resolve))
  const frozen = send('/v1/systemone', BODY)
  await vi.waitUntil(() => stub.counts.running === 1)
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

it('pictures of a request are told apart by what they hold', () => {
  const of = (...bytes: number[]) => toComparable({ prompt: 'x', image: Uint8Array.from(bytes) })
  expect(of(1, 2, 3)).toBe(of(1, 2, 3))
  expect(of(1, 2, 3)).not.toBe(of(1, 2, 4))
})
