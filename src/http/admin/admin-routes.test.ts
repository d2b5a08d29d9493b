import { beforeEach, describe, expect, it, vi } from 'vitest'
import { hasRedis, startRedis } from '../../../test/helpers/redis-server.ts'
import { createServer, type KeyConfig, openRedisStore, type Server, type UsageStore } from '../index.ts'
import { bearer, BODY, get, json, post } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { withClock } from '../test-support/with-clock.ts'
import { createMemoryStore } from '../usage/memory-store.ts'

const KEYS: KeyConfig[] = [
  { key: 'root', id: 'operator', scopes: ['admin'] },
  { key: 'plain', id: 'given', freeTokens: 100 },
]
const NOW = Date.UTC(2026, 10, 30, 12)
const ROUTES = ['keys', 'accounts', 'usage', 'audit'].map((name) => `/v1/admin/${name}`)

let store: UsageStore
let server: Server
beforeEach(() => {
  store = withClock(createMemoryStore(), () => NOW)
  server = open(store)
})

const open = (kept: UsageStore) => createServer({ engine: createStubEngine().engine, keys: KEYS, store: kept })
const ask = async (path: string, to = server) => json(to.fetch(get(`/v1/admin/${path}`, { headers: bearer('root') })))
const send = (path: string, body: object, to = server) =>
  to.fetch(post(body, { path: `/v1/admin/${path}`, headers: bearer('root') }))
const change = async (path: string, body: object, to = server) => {
  const response = await send(path, body, to)
  expect([path, response.status]).toEqual([path, 200])
  return (await response.json()) as { key: string; name: string; account: string; prepaid?: string }
}
const decide = async (key: string, to = server) => (await to.fetch(post(BODY, { headers: bearer(key) }))).status

describe('the admin routes', () => {
  it.each(ROUTES)('%s are for the scope admin alone', async (path) => {
    const status = async (to: Server, init?: RequestInit) => (await to.fetch(get(path, init))).status
    expect(await status(server)).toBe(401)
    expect(await status(server, { headers: bearer('plain') })).toBe(403)
    expect(await status(server, { headers: bearer('root') })).toBe(200)
    expect(await status(createServer({ engine: createStubEngine().engine }))).toBe(403)
  })

  it('refuse what they do not know, by name', async () => {
    for (const [path, body, field] of [
      ['keys', { account: 'x', scope: 'admin' }, 'body'],
      ['keys', { scopes: ['all'] }, 'scopes.0'],
      ['keys', { account: 'given' }, 'account'],
      ['keys', { prepaid: '1e3' }, 'prepaid'],
      ['keys', { expires: '2020-01-31T00:00:00Z' }, 'expires'],
      ['keys/revoke', { name: 'key_0' }, 'name'],
      ['keys/rotate', { name: 'key_0' }, 'name'],
      ['keys/rotate', { name: 'key_0', overlap_seconds: 1e15 }, 'overlap_seconds'],
      ['topups', { account: 'nobody', amount: '1' }, 'account'],
    ] as const) {
      const response = await send(path, body)
      expect([path, response.status]).toEqual([path, 422])
      expect((await json(response)).message).toMatch(new RegExp(`^${field}: `))
    }
    for (const query of ['from=2026-13', 'from=9998-12', 'form=csv', 'format=xml']) {
      expect((await server.fetch(get(`/v1/admin/usage?${query}`, { headers: bearer('root') }))).status).toBe(422)
    }
    expect(await ask('audit')).toMatchObject({ entries: [] })
  })

  it('say how times and amounts are written', async () => {
    const messageOf = async (path: string, body: object) => (await json(send(path, body)))['message']
    expect(await messageOf('keys', { expires: '2027-01-31' })).toBe(
      'expires: must be a time with its zone, such as 2027-01-31T00:00:00Z',
    )
    await change('keys', { account: 'shop', prepaid: '1' })
    expect(await messageOf('topups', { account: 'shop', amount: '5,00' })).toMatch(
      /^amount: .+ of at most 9 digits before the point/,
    )
  })

  it('name a setting that the account has otherwise as the body does', async () => {
    await change('keys', { account: 'shop', requests_per_minute: 60 })
    const response = await send('keys', { account: 'shop', requests_per_minute: 5 })
    expect([response.status, (await json(response)).message]).toEqual([
      422,
      'requests_per_minute: must be the same as of the first key with this id',
    ])
  })

  it('top no account up beyond what an amount can be', async () => {
    await change('keys', { account: 'shop', prepaid: '1' })
    const response = await send('topups', { account: 'shop', amount: '999999999' })
    expect([response.status, (await json(response)).message]).toEqual([
      422,
      'amount: must leave prepaid, which is all that was ever paid in, below 1000000000 EUR',
    ])
  })

  it('give what they read back to the budget that all bodies share', async () => {
    const sizes = { maxBodyBytes: 1000, maxEditBodyBytes: 1000, maxBufferedBytes: 3000 }
    const small = createServer({ engine: createStubEngine().engine, keys: KEYS, ...sizes })
    for (let time = 0; time < 20; time++) await change('keys', { account: `a${'x'.repeat(150)}${time}` }, small)
  })
})

describe('keys over HTTP', () => {
  it('are made, listed, rotated, topped up and revoked', async () => {
    const first = await change('keys', { account: 'shop', scopes: ['decide'], prepaid: '1', requests_per_minute: 60 })
    expect(await decide(first.key)).toBe(200)
    const second = await change('keys/rotate', { name: first.name, overlap_seconds: 60 })
    expect(second.account).toBe('shop')
    expect([await decide(first.key), await decide(second.key)]).toEqual([200, 200])
    expect(await change('topups', { account: 'shop', amount: '0.5' })).toEqual({ account: 'shop', prepaid: '1.5' })
    const { keys } = await ask('keys')
    expect(keys).toEqual(
      [first, second].map(({ key, name }) =>
        expect.objectContaining({
          name,
          prefix: key.slice(0, 9),
          account: 'shop',
          scopes: ['decide'],
          requests_per_minute: 60,
          prepaid: '1.5',
        }),
      ),
    )
    expect(JSON.stringify(keys)).not.toContain(first.key)
    await change('keys/revoke', { name: first.name })
    expect([await decide(first.key), await decide(second.key)]).toEqual([401, 200])
    expect(await ask('accounts')).toEqual({
      accounts: [
        { account: 'given', free_tokens: { given: 100, left: 100 }, prepaid: null },
        { account: 'operator', free_tokens: null, prepaid: null },
        { account: 'shop', free_tokens: null, prepaid: { given: '1.5', left: expect.stringMatching(/^1\.49999/) } },
      ],
    })
  })

  it('are recorded with who, what and when, and nothing that is secret', async () => {
    const made = await change('keys', { account: 'shop', prepaid: '1' })
    await change('topups', { account: 'shop', amount: '2' })
    await change('keys/revoke', { name: made.name })
    const { entries, ...months } = await ask('audit?from=2026-10')
    expect(months).toEqual({ from: '2026-10', to: '2026-11' })
    const [{ actor }] = entries as [{ actor: string }]
    expect(actor).toMatch(/^key_[0-9a-f]{12}$/)
    const common = { time: new Date(NOW).toISOString(), actor, account: 'shop' }
    expect(entries).toEqual([
      { ...common, action: 'add', key: made.name },
      { ...common, action: 'topup', detail: '2 EUR' },
      { ...common, action: 'revoke', key: made.name },
    ])
    expect(JSON.stringify(entries)).not.toMatch(new RegExp(`root|${made.key}`))
    expect(await ask('audit?from=2026-10&to=2026-10')).toMatchObject({ entries: [] })
  })

  it('are not changed where they cannot be recorded', async () => {
    const update: UsageStore['update'] = (name, ...more) =>
      name.startsWith('audit:') ? Promise.reject(new Error('away')) : store.update(name, ...more)
    const response = await send('keys', { account: 'shop' }, open({ ...store, update }))
    expect(response.status).toBe(503)
    expect(await ask('keys')).toEqual({ keys: [] })
  })
})

describe('usage of all accounts', () => {
  beforeEach(async () => {
    const { key } = await change('keys', { account: 'a "quoted", name' })
    await decide(key)
    await decide(key)
    await decide('plain')
  })

  it('is exported by month of the store as JSON', async () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ['Date'] })
    const used = { month: '2026-11', endpoint: 'decisions', images: 0 }
    expect(await ask('usage')).toEqual({
      from: '2026-11',
      to: '2026-11',
      rows: [
        { ...used, account: 'a "quoted", name', requests: 2, input_tokens: 44, cost: expect.any(String) },
        { ...used, account: 'given', requests: 1, input_tokens: 22, cost: '0' },
      ],
    })
    expect(await ask('usage?from=2026-09&to=2026-10')).toMatchObject({ rows: [] })
    expect(await json(server.fetch(get('/v1/usage', { headers: bearer('plain') })))).toMatchObject({
      today: '2026-11-30',
    })
    vi.useRealTimers()
  })

  it('is exported as CSV', async () => {
    const response = await server.fetch(get('/v1/admin/usage?format=csv', { headers: bearer('root') }))
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect((await response.text()).split('\r\n')).toEqual([
      'month,account,endpoint,requests,input_tokens,images,cost',
      expect.stringMatching(/^2026-11,"a ""quoted"", name",decisions,2,44,0,0\.0000\d+$/),
      '2026-11,given,decisions,1,22,0,0',
      '',
    ])
  })
})

describe.skipIf(!hasRedis())('processes that share a Redis store', () => {
  it("take each other's keys, and lose none of the changes made at once", async () => {
    const redis = await startRedis()
    const stores = await Promise.all([1, 2].map(() => openRedisStore(redis.url)))
    const servers = stores.map(open)
    const to = (index: number) => servers[index % 2]!
    const { key, name } = await change('keys', { account: 'shop', prepaid: '1' }, to(0))
    await vi.waitFor(async () => expect(await decide(key, to(1))).toBe(200), { timeout: 5000 })
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => change('topups', { account: 'shop', amount: '0.1' }, to(index))),
    )
    const [audit, accounts, usage] = await Promise.all(['audit', 'accounts', 'usage'].map((path) => ask(path, to(1))))
    expect(audit!.entries).toHaveLength(11)
    expect(JSON.stringify(accounts)).toContain('"given":"2"')
    expect(usage!.rows).toMatchObject([{ account: 'shop', requests: 1 }])
    await change('keys/revoke', { name }, to(1))
    await vi.waitFor(async () => expect(await decide(key, to(0))).toBe(401), { timeout: 5000 })
    await Promise.all(stores.map((each) => each.close()))
    await redis.stop()
  })
})
