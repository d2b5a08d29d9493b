import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { bundleWorker } from '../../engine/test-support/bundle-worker.ts'
import { hasSqlite } from '../test-support/has-sqlite.ts'
import { Ledger } from './ledger.ts'
import { DEFAULT_PRICES } from './prices.ts'
import { openSqliteStore } from './sqlite-store.ts'

const PAYER = { id: 'shop', prepaid: '1000000' }
const hasShell = spawnSync('sqlite3', ['-version']).status === 0

let folder: string
let file: string
beforeEach(() => {
  folder = temporaryFolder()
  file = join(folder, 'usage.db')
})

async function draw(to: string, pictures: number): Promise<void> {
  const store = openSqliteStore(to)
  const ledger = new Ledger(store, DEFAULT_PRICES)
  for (let picture = 0; picture < pictures; picture++)
    await (await ledger.reserve(PAYER, { endpoint: 'edits', foresee: () => 1 })).settle(1)
  await store.close()
}

/** Pictures that were charged. */
async function charged(to: string): Promise<number> {
  const store = openSqliteStore(to)
  const rows = await new Ledger(store, DEFAULT_PRICES).usage(PAYER.id)
  await store.close()
  return rows.reduce((sum, { units }) => sum + units, 0)
}

/** Another process that charges pictures until it is killed. */
async function startCharging() {
  const script = await bundleWorker('src/http/test-support/charging-process.ts', 'charging-process')
  const child = spawn(process.execPath, [fileURLToPath(script), file], { stdio: ['ignore', 'pipe', 'ignore'] })
  let told = 0
  child.stdout.on('data', (chunk: Buffer) => (told += chunk.toString().split('\n').length - 1))
  await vi.waitUntil(() => told > 20, { timeout: 60_000 })
  return {
    told: () => told,
    async kill() {
      const ended = once(child, 'close')
      child.kill('SIGKILL')
      await ended
    },
  }
}

describe.skipIf(!hasSqlite())('balances in an SQLite file', () => {
  it('lie in it and in those beside it while it is open', async () => {
    const store = openSqliteStore(file)
    await store.update('a', () => 'x')
    expect((await readdir(folder)).sort()).toEqual(['usage.db', 'usage.db-shm', 'usage.db-wal'])
    await store.close()
    expect(await readdir(folder)).toEqual(['usage.db'])
  })

  it('lose no charge when the process is killed', async () => {
    const other = await startCharging()
    await other.kill()
    const units = await charged(file)
    expect(units).toBeGreaterThanOrEqual(other.told())
    // One may have been made and not been told.
    expect(units).toBeLessThanOrEqual(other.told() + 1)
  })

  it('are those before the last charges where a power failure took the -wal file, and take more', async () => {
    await draw(file, 2)
    const store = openSqliteStore(file)
    const held = await new Ledger(store, DEFAULT_PRICES).reserve(PAYER, { endpoint: 'edits', foresee: () => 1 })
    await held.settle(1)
    const left = join(folder, 'left.db')
    await copyFile(file, left)
    await store.close()
    expect([await charged(file), await charged(left)]).toEqual([3, 2])
    await draw(left, 1)
    expect(await charged(left)).toBe(3)
  })
})

describe.skipIf(!hasSqlite() || !hasShell)('a backup of an SQLite file', () => {
  it('is made while another process charges, and restored in place of the file', async () => {
    const other = await startCharging()
    const backup = join(folder, 'copy.db')
    const shell = (...args: string[]) => promisify(execFile)('sqlite3', args)
    const before = other.told()
    await shell(file, '.timeout 10000', `.backup ${backup}`)
    const saved = await charged(backup)
    await vi.waitUntil(() => other.told() > saved, { timeout: 60_000 })
    await other.kill()
    expect((await shell(backup, 'PRAGMA integrity_check')).stdout).toBe('ok\n')
    const after = await charged(file)
    await Promise.all(['', '-wal', '-shm'].map((ending) => rm(file + ending, { force: true })))
    await copyFile(backup, file)
    const restored = await charged(file)
    expect(restored).toBe(saved)
    expect(restored).toBeGreaterThanOrEqual(before)
    expect(restored).toBeLessThan(after)
    await draw(file, 1)
    expect(await charged(file)).toBe(restored + 1)
    expect((await shell(file, 'SELECT count(*) > 0 FROM documents')).stdout).toBe('1\n')
  })
})
