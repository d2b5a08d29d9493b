import { createHash } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { type AuthenticationError, InvalidRequestError } from '../../errors/index.ts'
import { AdminLimiter } from '../limits/admin-limiter.ts'
import { authenticate } from './authenticate.ts'
import { identify } from './identify.ts'
import type { KeyStore } from './key-store.ts'
import { createKeyStore, readKeysFromEnvironment } from './static-keys.ts'

const sha256 = (key: string) => createHash('sha256').update(key).digest('hex')

describe('a key store', () => {
  it('is made of many keys in a time that grows as they do', () => {
    const keys = Array.from({ length: 40_000 }, (_, index) => ({ sha256: sha256(`${index}`) }))
    const timeOf = (count: number) => {
      const before = process.cpuUsage()
      createKeyStore(keys.slice(0, count))
      return process.cpuUsage(before).user
    }
    const few = Math.min(...Array.from({ length: 5 }, () => timeOf(5000)))
    expect(timeOf(40_000)).toBeLessThan(30 * few)
  })

  it('finds keys by themselves and by their SHA-256, with their settings', () => {
    const store = createKeyStore([
      'first',
      { key: 'second', id: 'app', freeTokens: 5 },
      { sha256: sha256('third').toUpperCase() },
    ])
    expect(store.find('first')).toEqual({ id: `key_${sha256('first').slice(0, 12)}` })
    expect(store.find('second')).toEqual({ id: 'app', freeTokens: 5 })
    expect(store.find('third')).toEqual({ id: `key_${sha256('third').slice(0, 12)}` })
  })

  it.each(['', 'firs', 'first ', 'FIRST', 'firstt', sha256('first'), '__proto__', '\0'])('does not find %j', (key) => {
    expect(createKeyStore(['first']).find(key)).toBeUndefined()
  })

  it('keeps no key in memory', () => {
    const store = createKeyStore(['CANARY-KEY'])
    expect(JSON.stringify(store.find('CANARY-KEY'))).not.toContain('CANARY')
  })

  it.each<[string, unknown[]]>([
    ['keys', []],
    ['keys.0.key', ['']],
    ['keys.0.key', ['two words']],
    ['keys.0.key', ['ключ']],
    ['keys.1', ['a', {}]],
    ['keys.0', [{ key: 'a', sha256: sha256('a') }]],
    ['keys.0.sha256', [{ sha256: 'abc' }]],
    ['keys.0.prepaid', [{ key: 'a', prepaid: '1e3' }]],
    ['keys.0.freeTokens', [{ key: 'a', freeTokens: -1 }]],
    ['keys.0.requestsPerMinute', [{ key: 'a', requestsPerMinute: 0 }]],
    ['keys.0', [{ key: 'a', unknown: 1 }]],
    ['keys.0.scopes.0', [{ key: 'a', scopes: ['decisions'] }]],
    ['keys.0.scopes', [{ key: 'a', scopes: [] }]],
    ['keys.0.models', [{ key: 'a', models: [] }]],
    ['keys.0.expires', [{ key: 'a', expires: '2027-01-31' }]],
    ['keys.0.tokensPerMinute', [{ key: 'a', tokensPerMinute: 0 }]],
    ['keys.1.key', ['a', 'a']],
    [
      'keys.1.prepaid',
      [
        { key: 'a', id: 'x', prepaid: '1' },
        { key: 'b', id: 'x' },
      ],
    ],
    ['keys.2.freeTokens', [{ key: 'a', id: 'x' }, 'b', { key: 'c', id: 'x', freeTokens: 1 }]],
    [
      'keys.1.concurrency',
      [
        { key: 'a', id: 'x', concurrency: 1 },
        { sha256: sha256('b'), id: 'x', concurrency: 2 },
      ],
    ],
  ])('is not made: %s is at fault', (path, keys) => {
    const make = () => createKeyStore(keys as string[])
    expect(make).toThrow(InvalidRequestError)
    expect(make).toThrow(expect.objectContaining({ path }))
  })

  it('takes a new key of an account beside the old one, so that keys can be rotated', () => {
    const settings = { id: 'app', freeTokens: 5, prepaid: '1.5' }
    const store = createKeyStore([
      { key: 'old', ...settings },
      { sha256: sha256('new'), prepaid: '1.5', freeTokens: 5, id: 'app' },
    ])
    expect([store.find('old'), store.find('new')]).toEqual([settings, settings])
  })

  it('has expiry, scopes and models of each key of an account on its own', () => {
    const store = createKeyStore([
      { key: 'old', id: 'app', expires: '2027-01-31T00:00:00Z' },
      { key: 'new', id: 'app', scopes: ['images'], models: ['decide-latest'], created: '2026-01-01T00:00:00.000Z' },
    ])
    expect([store.find('old'), store.find('new')]).toEqual([
      { id: 'app', expires: '2027-01-31T00:00:00Z' },
      { id: 'app', scopes: ['images'], models: ['decide-latest'] },
    ])
  })

  it('never shows a key in an error', () => {
    for (const keys of [['CANARY KEY'], ['CANARY', 'CANARY'], [{ key: 'CANARY', id: '' }]]) {
      expect(() => createKeyStore(keys)).toThrow(/^(?!.*CANARY)/)
    }
  })
})

describe('keys of the environment', () => {
  it('are separated by commas', () => {
    const store = readKeysFromEnvironment({ TESSERA_API_KEYS: 'a, b,,' })
    expect([store?.find('a'), store?.find('b')]).toEqual([expect.anything(), expect.anything()])
    expect(store?.find('')).toBeUndefined()
  })

  it('are for operators where their variable says so', () => {
    const store = readKeysFromEnvironment({
      TESSERA_API_KEYS: 'a',
      TESSERA_METRICS_KEYS: 'm',
      TESSERA_ADMIN_KEYS: 'x,y',
    })
    expect([store?.find('m'), store?.find('y')]).toMatchObject([{ scopes: ['metrics'] }, { scopes: ['admin'] }])
    expect(store?.find('a')).not.toHaveProperty('scopes')
    expect(() => readKeysFromEnvironment({ TESSERA_ADMIN_KEYS: '' })).toThrow(/^TESSERA_ADMIN_KEYS: must list/)
  })

  it('are not wanted where the variable is not set, and missing where it is empty', () => {
    expect(readKeysFromEnvironment({})).toBeUndefined()
    for (const list of ['', ' ', ',']) {
      expect(() => readKeysFromEnvironment({ TESSERA_API_KEYS: list })).toThrow(
        /^TESSERA_API_KEYS: must list at least one key/,
      )
    }
  })
})

describe('authentication', () => {
  const keys = createKeyStore([{ key: 'right', id: 'me' }])
  const authorized = (value: string) => authenticate(new Headers({ authorization: value }), keys)

  it.each(['Bearer right', 'bearer right', 'BEARER right', 'Bearer   right'])('takes %j', async (value) => {
    expect(await authorized(value)).toEqual({ id: 'me' })
  })

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'right',
    'Basic right',
    'Bearer wrong',
    'Bearer right, Bearer right',
    'Bearer right x',
    'Bearerright',
    'Bearer\tright',
  ])('refuses %j', async (value) => {
    await expect(authorized(value)).rejects.toMatchObject({ code: 'authentication_error' })
  })

  it('reads no other header', async () => {
    const headers = new Headers({
      'x-api-key': 'right',
      'proxy-authorization': 'Bearer right',
      cookie: 'authorization=right',
    })
    await expect(authenticate(headers, keys)).rejects.toMatchObject({ status: 401 })
  })

  it('takes two headers of one right key as no key', async () => {
    const headers = new Headers([
      ['authorization', 'Bearer right'],
      ['authorization', 'Bearer right'],
    ])
    await expect(authenticate(headers, keys)).rejects.toMatchObject({ status: 401 })
  })

  it.each([
    ['2026-11-23T12:00:00.001Z', true],
    ['2026-11-23T13:00:00.001+01:00', true],
    ['2026-11-23T12:00:00Z', false],
    ['never', false],
  ])('until %s holds at noon: %s', async (expires, holds) => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 23, 12) })
    const store = { find: () => ({ id: 'me', expires }) }
    const asked = authenticate(new Headers({ authorization: 'Bearer right' }), store)
    const outcome = await asked.catch(({ status, message }: AuthenticationError) => ({ status, message }))
    const message = `the API key expired at ${expires}; ask for a new one`
    expect(outcome).toEqual(holds ? { id: 'me', expires } : { status: 401, message })
    vi.useRealTimers()
  })

  it('asks nobody where there are no keys', async () => {
    const headers = new Headers({ authorization: 'nonsense' })
    expect(await identify(headers, {}, undefined, new AdminLimiter())).toEqual({ id: 'anyone' })
  })

  it('takes null of a store for no key', async () => {
    const store = { find: async () => null } as unknown as KeyStore
    await expect(authenticate(new Headers({ authorization: 'Bearer right' }), store)).rejects.toMatchObject({
      status: 401,
    })
  })

  it('takes a store that has to look somewhere else', async () => {
    const store = { find: async (key: string) => (key === 'right' ? { id: 'me' } : undefined) }
    expect(await authenticate(new Headers({ authorization: 'Bearer right' }), store)).toEqual({ id: 'me' })
  })
})

it('words what is wrong with a setting as all other options are', () => {
  const create = () => createKeyStore([{ key: 'a', concurrency: 0.5 }])
  expect(create).toThrow('keys.0.concurrency: must be a whole number of 1 or more, got 0.5')
})
