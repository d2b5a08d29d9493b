import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasRedis, startRedis } from '../../../test/helpers/redis-server.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { InsufficientQuotaError } from '../../errors/index.ts'
import { hasSqlite } from '../test-support/has-sqlite.ts'
import { withClock } from '../test-support/with-clock.ts'
import { Ledger, type Payer } from './ledger.ts'
import { createMemoryStore } from './memory-store.ts'
import { DEFAULT_PRICES, type Endpoint } from './prices.ts'
import { openRedisStore } from './redis-store.ts'
import { openSqliteStore } from './sqlite-store.ts'
import type { UsageStore } from './usage-store.ts'

const NOVEMBER = Date.UTC(2026, 10, 30, 23, 59, 59)
const DECEMBER = Date.UTC(2026, 11, 1)

let redis: Awaited<ReturnType<typeof startRedis>> | undefined
/** Each test has one of its own. */
let database = 0
beforeAll(async () => {
  if (hasRedis()) redis = await startRedis()
})
afterAll(() => redis?.stop())

interface Kind {
  readonly available: boolean
  open(folder: string): Promise<UsageStore>
}

const kinds: Readonly<Record<string, Kind>> = {
  memory: { available: true, open: async () => createMemoryStore() },
  SQLite: { available: hasSqlite(), open: async (folder) => openSqliteStore(join(folder, 'usage.db')) },
  Redis: { available: hasRedis(), open: () => openRedisStore(`${redis!.url}/${database++}`) },
}

describe.each(Object.entries(kinds))('a ledger over the %s store', (_, { available, open }) => {
  let folder: string
  let store: UsageStore
  let now: number
  let ledger: Ledger
  beforeEach(async (context) => {
    context.skip(!available, 'this machine does not have it')
    folder = temporaryFolder()
    now = NOVEMBER
    store = withClock(await open(folder), () => now)
    ledger = new Ledger(store, DEFAULT_PRICES)
  })
  afterEach(() => store?.close())

  const reserve = (payer: Payer, endpoint: Endpoint, units: number) =>
    ledger.reserve(payer, { endpoint, foresee: () => units })
  const record = async (payer: Payer, endpoint: Endpoint, units: number) =>
    (await reserve(payer, endpoint, units)).settle(units)

  it('has nothing for an account that has used nothing', async () => {
    expect(await ledger.usage('nobody')).toEqual([])
  })

  it('charges the exact price of every token', async () => {
    await record({ id: 'a' }, 'decisions', 1)
    await record({ id: 'a' }, 'decisions', 999_999)
    expect(await ledger.usage('a')).toEqual([
      { month: '2026-11', endpoint: 'decisions', requests: 2, units: 1_000_000, freeUnits: 0, cost: '0.039' },
    ])
  })

  it('takes free tokens first, then prepaid money, then nothing', async () => {
    // 100 free tokens and the price of 50.
    const payer = { id: 'a', freeTokens: 100, prepaid: '0.00000195' }
    await (await reserve(payer, 'decisions', 90)).settle(90)
    await (await reserve(payer, 'decisions', 30)).settle(30)
    await expect(reserve(payer, 'decisions', 31)).rejects.toThrow(InsufficientQuotaError)
    await (await reserve(payer, 'decisions', 30)).settle(30)
    await expect(reserve(payer, 'decisions', 1)).rejects.toThrow(InsufficientQuotaError)
    expect(await ledger.usage('a')).toMatchObject([{ requests: 3, units: 150, freeUnits: 100, cost: '0.00000195' }])
  })

  it('gives the allowance again next month, and charges an answer to the month it was asked in', async () => {
    const payer = { id: 'a', freeTokens: 10 }
    const late = await reserve(payer, 'decisions', 10)
    now = DECEMBER
    const next = await reserve(payer, 'decisions', 10)
    await late.settle(10)
    await next.settle(10)
    expect(await ledger.usage('a')).toMatchObject([
      { month: '2026-11', units: 10 },
      { month: '2026-12', units: 10 },
    ])
  })

  it('counts by day what it counts by month', async () => {
    const payer = { id: 'a', freeTokens: 10, prepaid: '1' }
    const late = await reserve(payer, 'decisions', 4)
    now = DECEMBER
    await (await reserve(payer, 'edits', 2)).settle(2)
    await late.settle(4)
    await record({ id: 'a' }, 'edits', 1)
    const edits = { endpoint: 'edits', requests: 2, units: 3, freeUnits: 0, cost: '0.6' }
    const decisions = { endpoint: 'decisions', requests: 1, units: 4, freeUnits: 4, cost: '0' }
    expect(await ledger.usageByDay('a')).toEqual([
      { day: '2026-11-30', ...decisions },
      { day: '2026-12-01', ...edits },
    ])
    expect(await ledger.usage('a')).toEqual([
      { month: '2026-11', ...decisions },
      { month: '2026-12', ...edits },
    ])
  })

  it('keeps 92 days and every month', async () => {
    for (let day = 0; day < 100; day++) {
      await record({ id: 'a' }, 'decisions', 1)
      now += 24 * 3600 * 1000
    }
    const days = await ledger.usageByDay('a')
    expect([days.length, days[0]?.day, days.at(-1)?.day]).toEqual([92, '2026-12-08', '2027-03-09'])
    const months = await ledger.usage('a')
    expect(months.reduce((sum, { units }) => sum + units, 0)).toBe(100)
  })

  it('takes the price of an image from prepaid money alone', async () => {
    const payer = { id: 'a', freeTokens: 1000, prepaid: '0.5' }
    await (await reserve(payer, 'generations', 2)).settle(2)
    await expect(reserve(payer, 'edits', 1)).rejects.toThrow(/^the prepaid balance .* does not cover the images$/)
    await expect(reserve({ id: 'b', freeTokens: 1000 }, 'edits', 1)).rejects.toThrow(InsufficientQuotaError)
    expect(await ledger.usage('a')).toMatchObject([
      { endpoint: 'generations', requests: 1, units: 2, freeUnits: 0, cost: '0.4' },
    ])
    expect(await ledger.allowance(payer)).toEqual({ freeTokens: 1000, prepaid: '0.1' })
  })

  it('says what is left, less what is reserved, and nothing of what has no limit', async () => {
    const payer = { id: 'a', freeTokens: 10, prepaid: '1' }
    await (await reserve(payer, 'decisions', 4)).settle(4)
    await reserve(payer, 'decisions', 3)
    expect(await ledger.allowance(payer)).toEqual({ freeTokens: 3, prepaid: '1' })
    expect(await ledger.allowance({ id: 'a' })).toEqual({})
    now = DECEMBER
    expect(await ledger.allowance(payer)).toEqual({ freeTokens: 10, prepaid: '1' })
  })

  it('keeps what is reserved from others until it is released', async () => {
    const payer = { id: 'a', freeTokens: 10 }
    const held = await reserve(payer, 'decisions', 8)
    await expect(reserve(payer, 'decisions', 3)).rejects.toThrow(InsufficientQuotaError)
    await held.release()
    await expect(reserve(payer, 'decisions', 10)).resolves.toBeDefined()
    expect(await ledger.usage('a')).toEqual([])
  })

  it('ends a reservation once, however often it is told to', async () => {
    const held = await reserve({ id: 'a', freeTokens: 10 }, 'decisions', 5)
    await Promise.all([held.settle(5), held.settle(5), held.release()])
    await held.settle(5)
    expect(await ledger.usage('a')).toMatchObject([{ requests: 1, units: 5 }])
  })

  it('charges what was used where that is less than was reserved', async () => {
    const payer = { id: 'a', prepaid: '1' }
    await (await reserve(payer, 'decisions', 1000)).settle(10)
    expect(await ledger.usage('a')).toMatchObject([{ units: 10, cost: '0.00000039' }])
  })

  it('frees what a crashed process held within a minute', async () => {
    const payer = { id: 'a', freeTokens: 10, prepaid: '1' }
    await reserve(payer, 'decisions', 4)
    await reserve(payer, 'edits', 2)
    expect(await ledger.allowance(payer)).toEqual({ freeTokens: 6, prepaid: '0.6' })
    now += 60_000
    const next = new Ledger(store, DEFAULT_PRICES)
    expect(await next.allowance(payer)).toEqual({ freeTokens: 10, prepaid: '1' })
    await expect(next.reserve(payer, { endpoint: 'edits', foresee: () => 5 })).resolves.toBeDefined()
  })

  it('charges an answer whose hold is gone', async () => {
    const payer = { id: 'a', prepaid: '1' }
    const held = await reserve(payer, 'edits', 2)
    now += 25 * 3600 * 1000
    await record(payer, 'edits', 1)
    await held.settle(2)
    expect(await ledger.allowance(payer)).toEqual({ prepaid: '0.4' })
    expect(await ledger.usageByDay('a')).toMatchObject([
      { day: '2026-11-30', units: 2 },
      { day: '2026-12-02', units: 1 },
    ])
  })

  it('takes free tokens also where more money was spent than the setting now says was paid in', async () => {
    await record({ id: 'a' }, 'decisions', 1_000_000)
    await expect(reserve({ id: 'a', freeTokens: 10, prepaid: '0.01' }, 'decisions', 10)).resolves.toBeDefined()
  })

  it('keeps accounts apart, whatever they are called', async () => {
    for (const id of ['__proto__', 'constructor', "a'; DROP TABLE accounts; --", '🎯']) {
      await record({ id }, 'decisions', 5)
      expect(await ledger.usage(id)).toMatchObject([{ requests: 1, units: 5 }])
    }
  })

  it('never lets requests that run together spend more than there is, nor loses an answer', async () => {
    const work = fc.array(fc.record({ tokens: fc.integer({ min: 1, max: 40 }), fails: fc.boolean() }), {
      maxLength: 30,
    })
    let run = 0
    await fc.assert(
      fc.asyncProperty(work, fc.integer({ min: 0, max: 200 }), async (requests, freeTokens) => {
        const payer = { id: `run${run++}`, freeTokens, prepaid: '0.0000039' }
        const done = await Promise.all(
          requests.map(async ({ tokens, fails }) => {
            const held = await reserve(payer, 'decisions', tokens).catch((error: unknown) => {
              expect(error).toBeInstanceOf(InsufficientQuotaError)
              return undefined
            })
            await new Promise((resolve) => setImmediate(resolve))
            await (fails ? held?.release() : held?.settle(tokens))
            return held !== undefined && !fails ? tokens : 0
          }),
        )
        const [row] = await ledger.usage(payer.id)
        const used = done.reduce((sum, tokens) => sum + tokens, 0)
        expect(row?.units ?? 0).toBe(used)
        expect(row?.requests ?? 0).toBe(done.filter((tokens) => tokens > 0).length)
        expect(used).toBeLessThanOrEqual(freeTokens + 100)
      }),
      { numRuns: 30 },
    )
  })
})
