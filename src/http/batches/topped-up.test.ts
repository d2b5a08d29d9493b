import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { addKey, revokeKey, topUp } from '../keys/key-book.ts'
import type { KeyStore } from '../keys/key-store.ts'
import { makeKey } from '../keys/make-key.ts'
import { StoredKeys } from '../keys/stored-keys.ts'
import { type BatchServer, line, openBatchServer } from '../test-support/batch-server.ts'
import { bearer, get, json } from '../test-support/requests.ts'
import { createMemoryStore } from '../usage/memory-store.ts'

/** Each line is ten tokens, and costs 0.10 EUR. */
const prices = { decisions: { amount: '0.01', per: 1 } } as const
const LINES = Array.from({ length: 34 }, (_, index) => line(`${index}`, { state: 'x'.repeat(8) })).join('\n')
/** For the lines that are worked on at once. */
const prepaid = '3.20'

let jobs: BatchServer
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => void vi.useRealTimers())

/** Lines that are answered of a batch whose account changes when all it may use is set aside for its first lines. */
async function linesAfter(key: string, change: () => unknown) {
  jobs.hold()
  await jobs.startBatch(LINES, bearer(key))
  const usage = () => json(jobs.server.fetch(get('/v1/usage', { headers: bearer(key) })))
  await expect.poll(usage).toMatchObject({ prepaid: { left: '0' } })
  await change()
  vi.advanceTimersByTime(1000)
  jobs.open()
  await expect.poll(() => jobs.entries.some(({ route }) => route === '/v1/batches')).toBe(true)
  return (await jobs.server.usage('shop')).reduce((sum, { requests }) => sum + requests, 0)
}

it.each([
  ['a top-up counts for lines whose turn comes after it', 34],
  ['an account whose key is revoked may use what it could', 32],
])('of a key of the store: %s', async (_, lines) => {
  const store = createMemoryStore()
  const stored = new StoredKeys(store)
  jobs = openBatchServer({ keys: ['given'], store, prices, jobs: { concurrency: 2 } })
  const fresh = makeKey()
  const { key: name } = await stored.change((book) => addKey(book, fresh, { id: 'shop', prepaid }))
  const change = () =>
    stored.change((book) =>
      lines === 34 ? topUp(book, 'shop', '1', { id: 'one', now: Date.now() }) : revokeKey(book, name!),
    )
  expect(await linesAfter(fresh.key, change)).toBe(lines)
})

it.each([
  ['says that more was paid in', { id: 'shop', prepaid: '4.20' }, 34],
  ['leaves out what was', { id: 'shop' }, 32],
  ['lacks the account', { id: 'other' }, 32],
])('of a server with a list of accounts that %s', async (_, account, lines) => {
  let accounts = [{ id: 'shop', prepaid }] as { id: string; prepaid?: string }[]
  const keys: KeyStore = { find: () => ({ id: 'shop', prepaid }), accounts: () => accounts }
  jobs = openBatchServer({ keys, prices, jobs: { concurrency: 2 } })
  expect(await linesAfter('any', () => (accounts = [account]))).toBe(lines)
})
