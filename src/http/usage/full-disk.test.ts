import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { createServer } from '../index.ts'
import { ServerMetrics } from '../metrics/server-metrics.ts'
import { hasSqlite } from '../test-support/has-sqlite.ts'
import { bearer, get, IMAGE_BODIES, json, post } from '../test-support/requests.ts'
import { canMount, mountSmallDisk, type SmallDisk } from '../test-support/small-disk.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { boundStore } from './bounded-store.ts'
import { Ledger } from './ledger.ts'
import { createMemoryStore } from './memory-store.ts'
import { DEFAULT_PRICES } from './prices.ts'
import { openSqliteStore } from './sqlite-store.ts'

const PAYER = { id: 'a', prepaid: '100' }
const KEYS = [{ key: 'k', ...PAYER }]
const ORDER = { endpoint: 'edits', foresee: () => 2 } as const
const [PATH, PICTURE] = IMAGE_BODIES[0]
const HEADERS = { ...bearer('k'), 'content-length': String(JSON.stringify(PICTURE).length) }

describe.skipIf(!canMount())('a full disk', () => {
  let disk: SmallDisk
  beforeEach(async () => {
    disk = await mountSmallDisk()
  })
  afterEach(() => disk.remove())

  it('under the journal has charges wait in memory, and in the journal once there is room', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const kept = createMemoryStore()
    let isAway = false
    const update: typeof kept.update = (...call) => (isAway ? Promise.reject(new Error('away')) : kept.update(...call))
    const store = boundStore({ ...kept, update }, new ServerMetrics())
    const open = () => new Ledger(store, DEFAULT_PRICES, join(disk.folder, 'journal'))
    const first = open()
    const held = await first.reserve(PAYER, ORDER)
    isAway = true
    await disk.fill()
    expect(await held.settle(2)).toBe(false)
    expect(warned.mock.calls).toEqual([
      [
        expect.stringMatching(/^the charge .* could not be written to .*journal \(ENOSPC\) and is in memory only$/),
        expect.anything(),
      ],
    ])
    expect(await readdir(join(disk.folder, 'journal'))).toEqual([])
    await vi.waitUntil(() => first.waiting === 1, { timeout: 60_000 })
    await disk.free()
    // While a file is being written it has another name, and its next reader would not see it.
    const isWritten = (name: string) => name.endsWith('.json')
    await vi.waitUntil(async () => (await readdir(join(disk.folder, 'journal'))).some(isWritten), { timeout: 20_000 })
    expect(warned).toHaveBeenCalledTimes(1)
    isAway = false
    // The next process has it from the journal; the first may make it as well, and it is charged once.
    const next = open()
    expect(next.waiting).toBe(1)
    await Promise.all([next.close(), first.close()])
    expect(await next.usage('a')).toMatchObject([{ requests: 1, units: 2 }])
    warned.mockRestore()
  })

  it.skipIf(!hasSqlite())('under an SQLite file gives 503, keeps what there is, and ends with the room', async () => {
    const store = openSqliteStore(join(disk.folder, 'usage.db'))
    const server = createServer({ engine: createStubEngine().engine, keys: KEYS, store })
    const draw = () => server.fetch(post(PICTURE, { path: PATH, headers: HEADERS }))
    expect((await draw()).status).toBe(200)
    await disk.fill()
    // The log has some room left before it needs more of the disk.
    const statuses = new Set<number>()
    for (let time = 0; time < 200; time++) statuses.add((await draw()).status)
    expect([...statuses].at(-1)).toBe(503)
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
    expect(await json(draw())).toMatchObject({ error_type: 'store_unavailable' })
    expect((await server.fetch(get('/readyz'))).status).toBe(200)
    const [before] = await server.usage('a')
    await disk.free()
    expect((await draw()).status).toBe(200)
    await server.close()
    await store.close()
    const opened = openSqliteStore(join(disk.folder, 'usage.db'))
    const [after] = await new Ledger(opened, DEFAULT_PRICES).usage('a')
    expect(after!.units).toBe(before!.units + 1)
    await opened.close()
  })

  it.skipIf(!hasSqlite())('that comes during a request leaves its charge to the journal on another one', async () => {
    const journal = temporaryFolder()
    const store = openSqliteStore(join(disk.folder, 'usage.db'))
    const stub = createStubEngine()
    const server = createServer({ engine: stub.engine, keys: KEYS, store, journal })
    const go = stub.hold()
    const answers = Array.from({ length: 30 }, () => server.fetch(post(PICTURE, { path: PATH, headers: HEADERS })))
    await expect.poll(() => stub.counts.running, { timeout: 20_000 }).toBe(30)
    await disk.fill()
    go()
    expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]))
    await disk.free()
    await vi.waitUntil(async () => (await readdir(journal)).length === 0, { timeout: 20_000 })
    expect(await server.usage('a')).toMatchObject([{ requests: 30, units: 30 }])
    await server.close()
    await store.close()
  })
})
