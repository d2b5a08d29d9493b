import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { withClock } from '../test-support/with-clock.ts'
import { IdempotentRequests } from './idempotent-requests.ts'
import { Ledger } from './ledger.ts'
import { createMemoryStore } from './memory-store.ts'
import { DEFAULT_PRICES } from './prices.ts'
import type { UsageStore } from './usage-store.ts'

const PAYER = { id: 'a', prepaid: '1' }
const EDITS = { endpoint: 'edits', foresee: () => 2 } as const

let now: number
let store: UsageStore
let ledger: Ledger
beforeEach(() => {
  vi.useFakeTimers()
  now = Date.UTC(2026, 10, 30)
  store = withClock(createMemoryStore(), () => now)
  ledger = new Ledger(store, DEFAULT_PRICES)
})
afterEach(() => vi.useRealTimers())

/** Lets time pass for this process and for the store. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    now += 1000
    await vi.advanceTimersByTimeAsync(1000)
  }
}

it('keeps what a running request holds for as long as it runs, and not longer', async () => {
  const held = await ledger.reserve(PAYER, EDITS)
  const other = await ledger.reserve(PAYER, EDITS)
  await pass(300)
  expect(await ledger.allowance(PAYER)).toEqual({ prepaid: '0.2' })
  await held.release()
  await pass(60)
  expect(await ledger.allowance(PAYER)).toEqual({ prepaid: '0.6' })
  await other.settle(1)
  await pass(60)
  expect(await ledger.allowance(PAYER)).toEqual({ prepaid: '0.8' })
  expect(vi.getTimerCount()).toBe(0)
})

it('renews all that an account holds at once, as its document is read and written whole', async () => {
  const held = await Promise.all(Array.from({ length: 5 }, () => ledger.reserve({ id: 'a', prepaid: '2' }, EDITS)))
  const read = vi.spyOn(JSON, 'parse')
  await pass(15)
  const times = read.mock.calls.length
  read.mockRestore()
  expect(times).toBe(1)
  await pass(60)
  for (const each of held.slice(1)) await each.release()
  expect(await ledger.allowance(PAYER)).toEqual({ prepaid: '0.6' })
})

it('keeps what a later try of a request holds under the same name when the earlier one ends', async () => {
  const order = { ...EDITS, charge: 'one' }
  const earlier = await ledger.reserve(PAYER, order)
  await ledger.reserve(PAYER, order)
  await earlier.settle(1)
  await pass(60)
  expect(await ledger.allowance(PAYER)).toEqual({ prepaid: '0.4' })
})

it('takes the clock of the store, whatever that of the process says', async () => {
  await ledger.reserve(PAYER, EDITS)
  vi.setSystemTime(Date.UTC(2026, 11, 2))
  expect(await new Ledger(store, DEFAULT_PRICES).allowance(PAYER)).toEqual({ prepaid: '0.6' })
})

it('puts back what a jump of the clock of the store has ended', async () => {
  await ledger.reserve(PAYER, EDITS)
  now += 25 * 3600 * 1000
  expect(await ledger.allowance(PAYER)).toEqual({ prepaid: '1' })
  await pass(16)
  expect(await ledger.allowance(PAYER)).toEqual({ prepaid: '0.6' })
})

it('goes on when the store was away for a time', async () => {
  let away = false
  const flaky: UsageStore = {
    ...store,
    update: (...call) => (away ? Promise.reject(new Error('away')) : store.update(...call)),
  }
  await new Ledger(flaky, DEFAULT_PRICES).reserve(PAYER, EDITS)
  away = true
  await pass(50)
  expect(await ledger.allowance(PAYER)).toEqual({ prepaid: '1' })
  away = false
  await pass(15)
  expect(await ledger.allowance(PAYER)).toEqual({ prepaid: '0.6' })
})

it('leaves a request whose process dies in the midst of it to be forgotten a day later', async () => {
  const requests = new IdempotentRequests(store)
  const request = { account: 'a', key: 'k', body: 'b' }
  void requests.run(request, new AbortController().signal, () => new Promise(() => {}))
  await pass(20)
  expect(await store.names('request:')).toHaveLength(1)
  vi.clearAllTimers()
  await vi.advanceTimersByTimeAsync(25 * 3600 * 1000)
  expect(await store.names('request:')).toEqual([])
})
