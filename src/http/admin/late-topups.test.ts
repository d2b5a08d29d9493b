import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createServer, type KeyConfig, type UsageStore } from '../index.ts'
import { bearer, get, json, post } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { createMemoryStore } from '../usage/memory-store.ts'

const KEYS: KeyConfig[] = [{ key: 'root', id: 'operator', scopes: ['admin'] }]

/** What the store does with a change of the keys: makes it, makes it and does not say so, or does not answer at all. */
let state: 'there' | 'late' | 'away'
/** A document that the store does not change. */
let failing: string | undefined
let server: ReturnType<typeof createServer>
beforeEach(async () => {
  state = 'there'
  failing = undefined
  const kept = createMemoryStore()
  const update: UsageStore['update'] = async (...call) => {
    if (state === 'away' || call[0] === failing) throw new Error('away')
    await kept.update(...call)
    if (state === 'late' && call[0] === 'keys') throw new Error('late')
  }
  server = createServer({ engine: createStubEngine().engine, keys: KEYS, store: { ...kept, update } })
  for (const account of ['shop', 'other']) await send('keys', { account, prepaid: '1' })
})
afterEach(() => {
  vi.useRealTimers()
})

const send = (path: string, body: object, headers = {}) =>
  server.fetch(post(body, { path: `/v1/admin/${path}`, headers: { ...bearer('root'), ...headers } }))
const ask = (path: string) => json(server.fetch(get(`/v1/admin/${path}`, { headers: bearer('root') })))
const pay = (amount: string, key?: string, account = 'shop') =>
  send('topups', { account, amount }, key === undefined ? {} : { 'idempotency-key': key })
const prepaid = async (account = 'shop') => {
  const { keys } = (await ask('keys')) as { keys: { account: string; prepaid: string }[] }
  return keys.find((key) => key.account === account)?.prepaid
}

describe('a top-up with an Idempotency-Key', () => {
  it('that was made and answered late is tried again, and made once', async () => {
    state = 'late'
    const late = await pay('10', 'k')
    expect([late.status, late.headers.get('retry-after'), late.headers.has('x-should-retry')]).toEqual([
      503,
      '1',
      false,
    ])
    state = 'there'
    expect(await prepaid()).toBe('11')
    // Other changes keep what is known of it, and another way to write the sum is the same one.
    const { name } = await json(send('keys', { account: 'new' }))
    const rotated = await json(send('keys/rotate', { name }))
    expect((await send('keys/revoke', { name: rotated.name })).status).toBe(200)
    for (const amount of ['10', '10.00']) {
      const again = await pay(amount, 'k')
      expect([again.status, await json(again)]).toEqual([200, { account: 'shop', prepaid: '11' }])
    }
    expect(await prepaid()).toBe('11')
    const { entries } = (await ask('audit')) as { entries: { action: string }[] }
    expect(entries.filter(({ action }) => action === 'topup')).toHaveLength(1)
  })

  it('that is asked for several times at once is made once, and recorded once', async () => {
    const paid = await Promise.all([1, 2, 3].map(() => pay('10', 'k')))
    expect(paid.map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await pay('10', 'l')).status).toBe(200)
    expect(await prepaid()).toBe('21')
    const { entries } = (await ask('audit')) as { entries: object[] }
    expect(entries.slice(2)).toEqual(
      [1, 2].map(() => ({
        time: expect.any(String),
        actor: expect.stringMatching(/^key_/),
        action: 'topup',
        account: 'shop',
        detail: '10 EUR',
      })),
    )
  })

  it('that was not made is recorded once more where it is then asked for with another sum', async () => {
    failing = 'keys'
    expect((await pay('10', 'k')).status).toBe(503)
    failing = undefined
    expect((await pay('11', 'k')).status).toBe(200)
    expect(await prepaid()).toBe('12')
    const { entries } = (await ask('audit')) as { entries: { action: string; detail: string }[] }
    expect(entries.filter(({ action }) => action === 'topup').map(({ detail }) => detail)).toEqual(['10 EUR', '11 EUR'])
  })

  it('is refused for another sum, and another one for another account or without the key', async () => {
    expect((await pay('10', 'k')).status).toBe(200)
    const refused = await pay('11', 'k')
    expect([refused.status, refused.headers.get('x-should-retry'), (await json(refused)).error_type]).toEqual([
      409,
      'false',
      'idempotency_error',
    ])
    expect((await pay('11', 'k', 'other')).status).toBe(200)
    for (const key of ['l', undefined, undefined]) expect((await pay('10', key)).status).toBe(200)
    expect([await prepaid(), await prepaid('other')]).toEqual(['41', '12'])
  })

  it('is known for a day', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    await pay('10', 'k')
    vi.setSystemTime(Date.now() + 23 * 3_600_000)
    await pay('10', 'k')
    expect(await prepaid()).toBe('11')
    vi.setSystemTime(Date.now() + 2 * 3_600_000)
    await pay('10', 'k')
    expect(await prepaid()).toBe('21')
  })

  it('is refused where the key is none', async () => {
    expect((await pay('10', 'ü')).status).toBe(400)
    expect(await prepaid()).toBe('1')
  })
})

describe('a top-up without an Idempotency-Key', () => {
  it('that may have been made is not asked for again, and says where to look', async () => {
    state = 'late'
    const late = await pay('10')
    expect([late.status, late.headers.get('x-should-retry'), late.headers.has('retry-after')]).toEqual([
      503,
      'false',
      false,
    ])
    expect(await json(late)).toMatchObject({
      error_type: 'store_unavailable',
      message: expect.stringMatching(/may have been made.*GET \/v1\/admin\/accounts/),
    })
  })

  it('that was not begun may be asked for again', async () => {
    state = 'away'
    const away = await pay('10')
    expect([away.status, away.headers.get('retry-after'), away.headers.has('x-should-retry')]).toEqual([
      503,
      '1',
      false,
    ])
    state = 'there'
    expect(await prepaid()).toBe('1')
  })
})

it('a new key that may have been made is not asked for again', async () => {
  state = 'late'
  const late = await send('keys', { account: 'new' })
  expect([late.status, late.headers.get('x-should-retry'), late.headers.has('retry-after')]).toEqual([
    503,
    'false',
    false,
  ])
  expect((await json(late)).message).toContain('/v1/admin/keys')
})
