import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasSqlite, openSqliteStore } from './sqlite-store.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tessera-sqlite-'))
})
afterEach(() => rm(folder, { recursive: true }))

it.skipIf(hasSqlite())('says which Node it needs where there is no node:sqlite', () => {
  expect(() => openSqliteStore(join(folder, 'a.db'))).toThrow(/^store: a file needs Node 22\.5 or newer, got v/)
})

describe.skipIf(!hasSqlite())('a store in a file', () => {
  it('remembers what it was told after it is opened again', async () => {
    const file = join(folder, 'a.db')
    const first = openSqliteStore(file)
    await first.update('a', () => 'one')
    await first.close()
    await first.close()
    const second = openSqliteStore(file)
    expect(await second.read('a')).toBe('one')
    await second.close()
  })

  it('writes nothing where the change throws', async () => {
    const store = openSqliteStore(join(folder, 'a.db'))
    await expect(
      store.update('a', () => {
        throw new RangeError('no')
      }),
    ).rejects.toThrow(RangeError)
    await store.update('a', (document) => `${document} then`)
    expect(await store.read('a')).toBe('undefined then')
    await store.close()
  })

  it('refuses a file that is no database, and names it', async () => {
    const file = join(folder, 'a.txt')
    await writeFile(file, 'x'.repeat(4096))
    expect(() => openSqliteStore(file)).toThrow(`store: the file ${file} could not be opened`)
  })

  it('counts right when several processes write at once', async () => {
    const file = join(folder, 'a.db')
    openSqliteStore(file)
    const script = `
      const { DatabaseSync } = require('node:sqlite')
      const database = new DatabaseSync(${JSON.stringify(file)})
      database.exec('PRAGMA busy_timeout = 10000')
      for (let i = 0; i < 200; i++) {
        database.exec('BEGIN IMMEDIATE')
        const row = database.prepare('SELECT document FROM accounts WHERE name = ?').get('a')
        const insert = database.prepare('INSERT OR REPLACE INTO accounts (name, document) VALUES (?, ?)')
        insert.run('a', String(Number(row?.document ?? 0) + 1))
        database.exec('COMMIT')
      }`
    const others = [1, 2].map(
      () => new Promise((resolve) => spawn(process.execPath, ['-e', script]).on('exit', resolve)),
    )
    const store = openSqliteStore(file)
    for (let i = 0; i < 200; i++) {
      await store.update('a', (document) => String(Number(document ?? 0) + 1))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await Promise.all(others)).toEqual([0, 0])
    expect(await store.read('a')).toBe('600')
    await store.close()
  })
})
