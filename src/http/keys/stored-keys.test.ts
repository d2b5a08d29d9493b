import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createServer, type UsageStore } from '../index.ts'
import { chooseKeys } from '../serve/choose-keys.ts'
import { bearer, get } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { createMemoryStore } from '../usage/memory-store.ts'
import { addKey, revokeKey, rotateKey, topUp } from './key-book.ts'
import { makeKey } from './make-key.ts'
import { StoredKeys } from './stored-keys.ts'

let store: UsageStore
let stored: StoredKeys
beforeEach(() => {
  vi.useFakeTimers()
  store = createMemoryStore()
  stored = new StoredKeys(store)
})
afterEach(() => {
  vi.useRealTimers()
})

const open = (kept = store) => createServer({ engine: createStubEngine().engine, keys: ['given'], store: kept })
const statusOf = async (key: string, server = open()) =>
  (await server.fetch(get('/v1/models', { headers: bearer(key) }))).status

describe('keys of the store', () => {
  it('hold beside those given, in every process, and end a second after they are revoked', async () => {
    const fresh = makeKey()
    const servers = [open(), open()]
    const statuses = (key: string) => Promise.all(servers.map((server) => statusOf(key, server)))
    expect(await statuses(fresh.key)).toEqual([401, 401])
    const { key: name } = await stored.change((book) => addKey(book, fresh, {}))
    vi.advanceTimersByTime(1000)
    expect([await statuses(fresh.key), await statuses('given')]).toEqual([
      [200, 200],
      [200, 200],
    ])
    await stored.change((book) => revokeKey(book, name!))
    vi.advanceTimersByTime(1000)
    expect(await statuses(fresh.key)).toEqual([401, 401])
  })

  it('count at once where they are changed', async () => {
    const fresh = makeKey()
    const { key: name } = await stored.change((book) => addKey(book, fresh, { id: 'shop', scopes: ['images'] }))
    expect(await stored.find(fresh.key)).toEqual({ id: 'shop', scopes: ['images'] })
    await stored.change((book) => revokeKey(book, name!))
    expect(await stored.find(fresh.key)).toBeUndefined()
  })

  it('are asked for once a second, however many strangers come', async () => {
    const read = vi.fn<UsageStore['read']>(store.read)
    const server = open({ ...store, read })
    await Promise.all(Array.from({ length: 50 }, (_, index) => statusOf(`wrong-${index}`, server)))
    expect(read.mock.calls.filter(([name]) => name === 'keys')).toHaveLength(1)
  })

  it('are found where each look at the store takes longer than what it tells is new', async () => {
    const fresh = makeKey()
    await stored.change((book) => addKey(book, fresh, { id: 'shop' }))
    const read = vi.fn<UsageStore['read']>(async (...call) => {
      const found = await store.read(...call)
      await new Promise((resolve) => setTimeout(resolve, 1500))
      return found
    })
    const slow = new StoredKeys({ ...store, read })
    const found = vi.fn<(key: unknown) => void>()
    void slow.find(fresh.key).then(found)
    await vi.advanceTimersByTimeAsync(1200)
    // What is asked for already may be older than a second for whoever comes now.
    void slow.find(fresh.key).then(found)
    await vi.advanceTimersByTimeAsync(1800)
    expect([found.mock.calls, read.mock.calls.length]).toEqual([[[{ id: 'shop' }], [{ id: 'shop' }]], 2])
  })

  it('that cannot be looked up give 503, and those given go on', async () => {
    const server = open({ ...store, read: () => Promise.reject(new Error('away')) })
    expect([await statusOf('stored', server), await statusOf('given', server)]).toEqual([503, 200])
  })

  it('leave the key itself nowhere', async () => {
    const fresh = makeKey()
    await stored.change((book) => addKey(book, fresh, {}))
    const { document } = await store.read('keys')
    expect(document).toContain(fresh.kept.sha256)
    expect(document).not.toContain(fresh.key.slice(10))
  })

  it('open a service to other machines without a file or a variable', async () => {
    await expect(chooseKeys('0.0.0.0', undefined, {}, store)).rejects.toMatchObject({ path: 'host' })
    const fresh = makeKey()
    await stored.change((book) => addKey(book, fresh, {}))
    const { keys } = await chooseKeys('0.0.0.0', undefined, {}, store)
    const server = createServer({ engine: createStubEngine().engine, keys, store })
    expect([await statusOf(fresh.key, server), await statusOf('other', server)]).toEqual([200, 401])
  })
})

describe('a key that takes the place of another', () => {
  it('has its account and its settings, and both hold for a time', async () => {
    const [old, next] = [makeKey(), makeKey()]
    const settings = { id: 'shop', scopes: ['decide' as const], prepaid: '5' }
    const { key: name } = await stored.change((book) => addKey(book, old, settings))
    await stored.change((book) => rotateKey(book, next, name!, { now: Date.now(), forMs: 60_000 }))
    const server = open()
    const statuses = () => Promise.all([old, next].map(({ key }) => statusOf(key, server)))
    expect(await statuses()).toEqual([200, 200])
    expect(await stored.find(next.key)).toEqual(settings)
    vi.advanceTimersByTime(60_000)
    expect(await statuses()).toEqual([401, 200])
  })

  it('is not made for one that has ended, nor prolongs one that would', async () => {
    const old = makeKey()
    const expires = new Date(Date.now() + 1000).toISOString()
    const { key: name } = await stored.change((book) => addKey(book, old, { expires }))
    await stored.change((book) => rotateKey(book, makeKey(), name!, { now: Date.now(), forMs: 60_000 }))
    expect(await stored.find(old.key)).toMatchObject({ expires })
    vi.advanceTimersByTime(1000)
    await expect(
      stored.change((book) => rotateKey(book, makeKey(), name!, { now: Date.now(), forMs: 0 })),
    ).rejects.toMatchObject({ path: 'key' })
  })
})

describe('money that is paid in', () => {
  it('is exact, and counts for all keys of the account', async () => {
    const keys = [makeKey(), makeKey()]
    await stored.change((book) => addKey(book, keys[0]!, { id: 'shop', prepaid: '0.1' }))
    // What the second leaves out it shares with the first.
    await stored.change((book) => addKey(book, keys[1]!, { id: 'shop' }))
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        stored.change((book) => topUp(book, 'shop', '0.2', { id: `${index}`, now: Date.now() })),
      ),
    )
    for (const { key } of keys) expect(await stored.find(key)).toEqual({ id: 'shop', prepaid: '4.1' })
  })

  it.each([
    ['nobody', '1', 'account'],
    ['free', '1', 'account'],
    ['shop', '1e3', 'amount'],
    ['shop', '-1', 'amount'],
  ])('to %s, %s, is refused by its %s', async (account, amount, path) => {
    await stored.change((book) => addKey(book, makeKey(), { id: 'shop', prepaid: '1' }))
    await stored.change((book) => addKey(book, makeKey(), { id: 'free' }))
    await expect(stored.change((book) => topUp(book, account, amount, { id: 'a', now: 0 }))).rejects.toMatchObject({
      path,
    })
  })
})

it('a key has the limits of its account where it gives none, and scopes, models and expiry of its own', async () => {
  const shared = { id: 'shop', prepaid: '1', freeTokens: 5, requestsPerMinute: 2, tokensPerMinute: 3, concurrency: 4 }
  const own = { scopes: ['decide' as const], models: ['decide-latest'], expires: '2099-01-01T00:00:00Z' }
  const second = makeKey()
  await stored.change((book) => addKey(book, makeKey(), { ...shared, ...own }))
  await stored.change((book) => addKey(book, second, { id: 'shop' }))
  expect(await stored.find(second.key)).toEqual(shared)
})

it('a key whose settings differ from those of its account is not added', async () => {
  await stored.change((book) => addKey(book, makeKey(), { id: 'shop', prepaid: '1' }))
  const adding = stored.change((book) => addKey(book, makeKey(), { id: 'shop', prepaid: '2' }))
  await expect(adding).rejects.toMatchObject({ path: 'keys.1.prepaid' })
  expect((await stored.read()).keys).toHaveLength(1)
})
