import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createServer } from '../server.ts'
import { bearer, BODY, get, IMAGE_BODIES, json, post } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { boundStore } from './bounded-store.ts'
import { createMemoryStore } from './memory-store.ts'
import type { UsageStore } from './usage-store.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => vi.useRealTimers())

const KEYS = ['free', { key: 'paid', prepaid: '1' }, { key: 'counted', requestsPerMinute: 5 }]
const never = () => new Promise<never>(() => {})

describe.each([
  ['frozen', never],
  ['broken', () => Promise.reject(Object.assign(new Error('SECRET'), { code: 'ECONNRESET' }))],
])('a store that is %s', (_, fault) => {
  it('gives 503 to be tried again within 2 seconds, and no work is begun', async () => {
    const { engine, counts, drawn } = createStubEngine()
    const store: UsageStore = { ...createMemoryStore(), read: fault, update: fault, countRequest: fault }
    const faults: unknown[] = []
    const server = createServer({ engine, keys: KEYS, store, log: ({ error }) => faults.push(error) })
    // What is loaded with the first request takes time of its own.
    await server.fetch(get('/livez'))
    const requests = KEYS.flatMap((key) => {
      const headers = bearer(typeof key === 'string' ? key : key.key)
      return [post(BODY, { headers }), ...IMAGE_BODIES.map(([path, body]) => post(body, { path, headers }))]
    })
    const answered = Promise.all(requests.map((request) => server.fetch(request)))
    await vi.advanceTimersByTimeAsync(2000)
    for (const response of await answered) {
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBe('1')
      expect(response.headers.has('x-should-retry')).toBe(false)
      expect(await json(response)).toMatchObject({ error_type: 'store_unavailable' })
    }
    expect([counts.decided, drawn]).toEqual([0, []])
    expect(faults.slice(1)).toHaveLength(requests.length)
    expect(faults[1]).toMatchObject({ code: 'store_unavailable', cause: expect.any(Error) })
  })

  it('does not hold back an answer that was computed before', async () => {
    const { engine } = createStubEngine()
    const store = { ...createMemoryStore() }
    const server = createServer({ engine, keys: KEYS, store })
    const { decide } = engine
    engine.decide = ((...call: Parameters<typeof decide>) => {
      store.update = fault
      return decide(...call)
    }) as typeof decide
    const answered = server.fetch(post(BODY, { headers: bearer('paid') }))
    await vi.advanceTimersByTimeAsync(2000)
    expect((await answered).status).toBe(200)
    store.update = createMemoryStore().update
    await server.close()
  })
})

it('hears what came while its process was busy', async () => {
  vi.useRealTimers()
  const read = async () => {
    await nextTurn()
    return { document: 'x', now: 0 }
  }
  const reading = boundStore({ ...createMemoryStore(), read }).read('a')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2100)
  expect(await reading).toMatchObject({ document: 'x' })
})
