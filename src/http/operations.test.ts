import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { WorkerCrashedError } from '../errors/index.ts'
import { AuditTrail } from './admin/audit-trail.ts'
import { AuditedKeys } from './admin/audited-keys.ts'
import { BodyParser } from './body/body-parser.ts'
import { createServer, type KeyConfig, type Server, type UsageStore } from './index.ts'
import { addKey } from './keys/key-book.ts'
import { makeKey } from './keys/make-key.ts'
import { StoredKeys } from './keys/stored-keys.ts'
import { bearer, BODY, get, IMAGE_BODIES, json, post } from './test-support/requests.ts'
import { createStubEngine, type StubEngine } from './test-support/stub-engine.ts'
import { createMemoryStore } from './usage/memory-store.ts'

const DAY_MS = 24 * 3600 * 1000
const [PATH, PICTURE] = IMAGE_BODIES[1]
const KEYS: KeyConfig[] = [
  { key: 'shop', id: 'shop', prepaid: '0.2' },
  { key: 'root', scopes: ['admin'] },
]

let stub: StubEngine
let store: UsageStore
let server: Server
beforeEach(() => {
  stub = createStubEngine()
  store = createMemoryStore()
  server = createServer({ engine: stub.engine, store, keys: KEYS })
})
afterEach(() => vi.useRealTimers())

const draw = async (key: string) => (await server.fetch(post(PICTURE, { path: PATH, headers: bearer(key) }))).status
const admin = (path: string, body?: object) => {
  const at = { path: `/v1/admin/${path}`, headers: bearer('root') }
  return json(server.fetch(body === undefined ? get(at.path, at) : post(body, at)))
}
const metrics = async () => (await server.fetch(get('/metrics', { headers: bearer('root') }))).text()

it('a request whose worker crashed gets 500, may be sent again, and is not charged', async () => {
  stub.failure = new WorkerCrashedError('it exited with code 3')
  const response = await server.fetch(post(BODY, { headers: bearer('shop') }))
  expect([response.status, response.headers.has('x-should-retry')]).toEqual([500, false])
  expect(await json(response)).toMatchObject({ error_type: 'worker_crashed' })
  expect(await server.usage('shop')).toEqual([])
  stub.failure = undefined
  expect((await server.fetch(post(BODY, { headers: bearer('shop') }))).status).toBe(200)
})

it('the thread that reads large bodies ends when it has had nothing to do for 5 seconds', async () => {
  const ended = vi.spyOn(Worker.prototype, 'terminate')
  const parser = new BodyParser()
  await parser.parse(new TextEncoder().encode(`"${'x'.repeat(300_000)}"`), { type: 'json' })
  const began = performance.now()
  await vi.waitUntil(() => ended.mock.calls.length > 0, { timeout: 30_000 })
  expect(performance.now() - began).toBeGreaterThan(4900)
  ended.mockRestore()
})

describe('the operator', () => {
  it('may leave out everything of a new key, and the time in which two hold, which is a day', async () => {
    const made = (await admin('keys', {})) as { name: string }
    const { keys } = (await admin('keys')) as { keys: object[] }
    expect(keys).toMatchObject([{ name: made.name, account: made.name, scopes: ['decide', 'images'] }])
    await admin('keys/rotate', { name: made.name })
    const rotated = (await admin('keys')) as { keys: { name: string; expires?: string }[] }
    const { expires } = rotated.keys.find(({ name }) => name === made.name)!
    expect(Math.abs(Date.parse(expires!) - Date.now() - DAY_MS)).toBeLessThan(60_000)
  })

  it('finds a month of the trail for 400 days', async () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 30), toFake: ['Date'] })
    await admin('keys', { account: 'new' })
    const entries = async () => (await new AuditTrail(store).list('2026-11', '2026-11')).length
    vi.setSystemTime(Date.UTC(2026, 10, 30) + 400 * DAY_MS - 1000)
    expect(await entries()).toBe(1)
    vi.setSystemTime(Date.UTC(2026, 10, 30) + 400 * DAY_MS)
    expect(await entries()).toBe(0)
  })

  it('finds a change in the trail that failed as the store went away after it was recorded', async () => {
    const update: UsageStore['update'] = (name, ...more) =>
      name === 'keys' ? Promise.reject(new Error('away')) : store.update(name, ...more)
    const keys = new AuditedKeys(new StoredKeys({ ...store, update }), new AuditTrail(store))
    await expect(keys.change('me', 'add', (book) => addKey(book, makeKey(), { id: 'new' }))).rejects.toThrow('away')
    expect(await admin('audit')).toMatchObject({ entries: [{ actor: 'me', action: 'add', account: 'new' }] })
    expect(await admin('keys')).toEqual({ keys: [] })
  })

  it('has one balance for each place where keys of an account are, over what both spent', async () => {
    const stored = makeKey()
    await new StoredKeys(store).change((book) => addKey(book, stored, { id: 'shop', prepaid: '1' }))
    expect([await draw('shop'), await draw('shop'), await draw(stored.key)]).toEqual([200, 402, 200])
    expect(await server.usage('shop')).toMatchObject([{ units: 2 }])
  })
})

describe('metrics', () => {
  it('show charges that wait while the store is away, and its calls by what they do', async () => {
    const { editImage } = stub.engine
    let isAway = false
    const kept = createMemoryStore()
    const update: UsageStore['update'] = (...call) =>
      isAway ? Promise.reject(new Error('away')) : kept.update(...call)
    const counted = { ...kept, update, countRequest: async () => ({ isOver: false, remaining: 1, resetMs: 1 }) }
    const keys: KeyConfig[] = [...KEYS, { key: 'k', id: 'k', requestsPerMinute: 9, prepaid: '1' }]
    server = createServer({ engine: stub.engine, store: counted, keys })
    stub.engine.editImage = (...call) => {
      isAway = true
      return editImage(...call)
    }
    await server.usage('k')
    expect(await draw('k')).toBe(200)
    const text = await metrics()
    expect(text).toContain('tessera_charges_waiting 1\n')
    for (const operation of ['read', 'update', 'count'])
      expect(text).toMatch(new RegExp(`tessera_store_duration_seconds_count\\{operation="${operation}"\\} [1-9]`))
    isAway = false
    await expect.poll(metrics, { timeout: 20_000 }).toContain('tessera_charges_waiting 0\n')
  })

  it('say when the process began', async () => {
    const [, began] = /^process_start_time_seconds (\d\S+)$/m.exec(await metrics())!
    expect(Math.abs(Number(began) - (Date.now() / 1000 - process.uptime()))).toBeLessThan(5)
  })

  it('are scraped with the key and by the configuration that docs/operations.md has', async () => {
    const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
    const [, block] = /```yaml\n(scrape_configs:.*?)```/s.exec(page)!
    const { scrape_configs } = parse(block!) as { scrape_configs: { authorization: object; metrics_path?: string }[] }
    expect(scrape_configs[0]!.authorization).toEqual({ credentials_file: '/etc/prometheus/tessera-key' })
    // Prometheus sends a key from a file as a bearer token, to /metrics unless it is told otherwise.
    expect(scrape_configs[0]!.metrics_path ?? '/metrics').toBe('/metrics')
    vi.stubEnv('TESSERA_API_KEYS', 'work')
    vi.stubEnv('TESSERA_METRICS_KEYS', 'prometheus')
    const { fetch } = createServer({ engine: stub.engine })
    vi.unstubAllEnvs()
    const statuses = ['work', 'prometheus'].map(
      async (key) => (await fetch(get('/metrics', { headers: bearer(key) }))).status,
    )
    expect(await Promise.all(statuses)).toEqual([403, 200])
  })
})
