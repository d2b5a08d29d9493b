import { expect, it, vi } from 'vitest'
import { StoreUnavailableError } from '../../errors/index.ts'
import { withClock } from '../test-support/with-clock.ts'
import { type Claim, IdempotentRequests } from './idempotent-requests.ts'
import { createMemoryStore } from './memory-store.ts'
import type { UsageStore } from './usage-store.ts'

const REQUEST = { account: 'a', key: 'k', body: 'b' }

/** The clock of the store, which stands still, so that no lease ends by itself. */
let now = Date.UTC(2026, 10, 30)

/** Has a request begin that never ends, in a process of its own. */
function begin(store: UsageStore, body = 'b'): Promise<Claim> {
  const requests = new IdempotentRequests(store)
  return new Promise((resolve, reject) => {
    const work = (claim: Claim | undefined) => new Promise(() => resolve(claim!))
    requests.run({ ...REQUEST, body }, new AbortController().signal, work).catch(reject)
  })
}

/** A store that makes the next update and does not say so in time. */
function makeLate(store: UsageStore): UsageStore {
  let isLate = true
  return {
    ...store,
    update: async (...call) => {
      await store.update(...call)
      if (isLate) {
        isLate = false
        throw new StoreUnavailableError()
      }
    },
  }
}

it('a claim that the store made after it was given up is given back, and the key is free', async () => {
  const store = withClock(createMemoryStore(), () => now)
  await expect(begin(makeLate(store))).rejects.toThrow(StoreUnavailableError)
  await vi.waitUntil(async () => (await store.names('request:')).length === 0, { timeout: 20_000 })
  await expect(begin(store, 'another')).resolves.toBeDefined()
})

it('a claim of what another process began is given back with the name of its charge', async () => {
  const store = withClock(createMemoryStore(), () => now)
  const { charge } = await begin(store)
  now += 60_000
  await expect(begin(makeLate(store))).rejects.toThrow(StoreUnavailableError)
  expect(await begin(store)).toMatchObject({ charge })
}, 20_000)

it('the key of a batch that the store kept after it was given up is free', async () => {
  const store = makeLate(createMemoryStore())
  const requests = new IdempotentRequests(store)
  await expect(requests.keep(REQUEST)).rejects.toThrow(StoreUnavailableError)
  const take = () => requests.keep({ ...REQUEST, body: 'another' }).then(() => true)
  await expect.poll(() => take().catch(() => false), { timeout: 10_000 }).toBe(true)
})
