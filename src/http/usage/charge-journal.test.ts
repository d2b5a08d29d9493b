import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { InsufficientQuotaError } from '../../errors/index.ts'
import { ServerMetrics } from '../metrics/server-metrics.ts'
import { boundStore } from './bounded-store.ts'
import { Ledger } from './ledger.ts'
import { createMemoryStore } from './memory-store.ts'
import { DEFAULT_PRICES } from './prices.ts'
import type { UsageStore } from './usage-store.ts'

const PAYER = { id: 'a', prepaid: '1' }
const ORDER = { endpoint: 'edits', foresee: () => 2 } as const

let folder: string
let store: UsageStore
/** What happens to an update: it is made and answered, made and not answered, or not made. */
let link: 'up' | 'deaf' | 'down'
beforeEach(async () => {
  folder = temporaryFolder()
  link = 'up'
  const kept = createMemoryStore()
  store = boundStore(
    {
      ...kept,
      async update(...call) {
        if (link !== 'down') await kept.update(...call)
        if (link !== 'up') throw new Error('the connection was cut')
      },
    },
    new ServerMetrics(),
  )
})

const open = (journal?: string) => new Ledger(store, DEFAULT_PRICES, journal)

it('keeps the charge of an answer while the store is away, and makes it when it is back', async () => {
  const ledger = open(folder)
  const held = await ledger.reserve(PAYER, ORDER)
  link = 'down'
  expect(await held.settle(2)).toBe(false)
  expect(ledger.waiting).toBe(1)
  const [file] = await readdir(folder)
  expect(JSON.parse(await readFile(join(folder, file!), 'utf8'))).toEqual({
    id: expect.any(String),
    account: 'a',
    endpoint: 'edits',
    units: 2,
    day: new Date().toISOString().slice(0, 10),
  })
  link = 'up'
  await vi.waitUntil(() => ledger.waiting === 0, { timeout: 120_000 })
  expect(await ledger.usage('a')).toMatchObject([{ requests: 1, units: 2, cost: '0.4' }])
  expect(await readdir(folder)).toEqual([])
})

it('charges once where the store had charged and only its answer was lost', async () => {
  const ledger = open(folder)
  const held = await ledger.reserve(PAYER, ORDER)
  link = 'deaf'
  expect(await held.settle(2)).toBe(false)
  link = 'up'
  await (await ledger.reserve(PAYER, ORDER)).settle(1)
  await ledger.close()
  expect(ledger.waiting).toBe(0)
  expect(await ledger.usage('a')).toMatchObject([{ requests: 2, units: 3, cost: '0.6' }])
})

it('asks no money for another try of what is charged already', async () => {
  // Two pictures are paid in, and the process that drew them died before it noted the request as charged.
  const payer = { id: 'a', prepaid: '0.4' }
  const order = { ...ORDER, charge: 'one' }
  await (await open().reserve(payer, order)).settle(2)
  await (await open().reserve(payer, order)).settle(2)
  expect(await open().usage('a')).toMatchObject([{ requests: 1, units: 2 }])
  await expect(open().reserve(payer, ORDER)).rejects.toThrow(InsufficientQuotaError)
})

it('survives the process, and charges once where two others find it', async () => {
  const held = await open(folder).reserve(PAYER, ORDER)
  link = 'down'
  await held.settle(2)
  // Nothing of the first ledger is told that the store is back before the others have read the folder.
  const next = [open(folder), open(folder)]
  expect(next.map(({ waiting }) => waiting)).toEqual([1, 1])
  link = 'up'
  await Promise.all(next.map((ledger) => ledger.close()))
  expect(await next[0]!.usage('a')).toMatchObject([{ requests: 1, units: 2 }])
  expect(await readdir(folder)).toEqual([])
})

it('refuses a folder that cannot be written, and a file in it that is no charge', async () => {
  const file = join(folder, 'x')
  await writeFile(file, '')
  expect(() => open(file)).toThrow(
    /^journal: the folder .*x cannot be written \((EEXIST|ENOTDIR)\); name one that can, /,
  )
  await writeFile(join(folder, 'broken.json'), '{"id":')
  expect(() => open(folder)).toThrow(/^journal: .*broken\.json holds no charge/)
})

it('says that a charge is in memory only where its folder is gone or none was given', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const journal = join(folder, 'journal')
  const ledgers = [open(journal), open()]
  for (const ledger of ledgers) {
    link = 'up'
    const held = await ledger.reserve(PAYER, ORDER)
    link = 'down'
    await rm(journal, { recursive: true, force: true })
    await held.settle(1)
    await ledger.close()
  }
  expect(warned.mock.calls.map(([text]) => text)).toEqual([
    expect.stringMatching(/could not be written to .*journal \(ENOENT\) and is in memory only$/),
    '1 charges were not made: the store is away',
    '1 charges were not made: the store is away',
  ])
  warned.mockRestore()
})

it('forgets the name of a charge that it knows to be made', async () => {
  const ledger = open()
  for (let request = 0; request < 20; request++)
    await (await ledger.reserve(PAYER, { ...ORDER, foresee: () => 0 })).settle(0)
  const { charged } = JSON.parse((await store.read('account:a')).document!) as { charged: unknown[] }
  expect(charged).toHaveLength(1)
})
