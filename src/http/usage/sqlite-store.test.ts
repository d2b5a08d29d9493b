import { spawn } from 'node:child_process'
import { chmod, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { addKey } from '../keys/key-book.ts'
import { makeKey } from '../keys/make-key.ts'
import { StoredKeys, UnsureChangeError } from '../keys/stored-keys.ts'
import { hasSqlite } from '../test-support/has-sqlite.ts'
import { boundStore } from './bounded-store.ts'
import { loadSqlite } from './load-sqlite.ts'
import { openSqliteStore } from './sqlite-store.ts'

/** The file as another program opens it. */
function openRaw(file: string) {
  const { DatabaseSync } = loadSqlite()!
  return new DatabaseSync(file)
}

let folder: string
beforeEach(() => void (folder = temporaryFolder()))

it.skipIf(hasSqlite())('says which Node it needs where there is no node:sqlite', () => {
  expect(() => openSqliteStore(join(folder, 'a.db'))).toThrow(
    /^store: a file needs Node 22\.5 or newer, got v.*; update Node, or use a Redis server$/,
  )
})

describe.skipIf(!hasSqlite())('a store in a file', () => {
  it('that cannot be written has changed no key for certain, so that it may be asked for again', async () => {
    const file = join(folder, 'a.db')
    const store = openSqliteStore(file)
    const raw = openRaw(file)
    raw.exec("CREATE TRIGGER full BEFORE INSERT ON documents BEGIN SELECT RAISE(ROLLBACK, 'full'); END")
    const adding = new StoredKeys(boundStore(store)).change((book) => addKey(book, makeKey(), {}))
    const refused: unknown = await adding.catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'store_unavailable', retryable: true })
    expect(refused).not.toBeInstanceOf(UnsureChangeError)
    raw.close()
    await store.close()
  })

  it('remembers what it was told after it is opened again', async () => {
    const file = join(folder, 'a.db')
    const first = openSqliteStore(file)
    await first.update('a', () => 'one')
    await first.close()
    await first.close()
    const second = openSqliteStore(file)
    expect(await second.read('a')).toMatchObject({ document: 'one' })
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
    expect(await store.read('a')).toMatchObject({ document: 'undefined then' })
    await store.close()
  })

  it('makes changes that come at once one after another', async () => {
    const store = openSqliteStore(join(folder, 'a.db'))
    const count = (document: string | undefined) => String(Number(document ?? 0) + 1)
    await Promise.all(Array.from({ length: 50 }, () => store.update('a', count)))
    expect((await store.read('a')).document).toBe('50')
    await store.close()
  })

  it('names the documents that begin so', async () => {
    const store = openSqliteStore(join(folder, 'a.db'))
    for (const name of ['a:1', 'a:é%_2', 'b:1', 'a']) await store.update(name, () => 'x')
    await store.update('a:gone', () => 'x', { keepMs: 1 })
    await sleep(5)
    expect((await store.names('a:')).sort()).toEqual(['a:1', 'a:é%_2'])
    expect(await store.names('%')).toEqual([])
    await store.close()
  })

  it('forgets what is kept for a time only', async () => {
    const store = openSqliteStore(join(folder, 'a.db'))
    await store.update('a', () => 'short', { keepMs: 1 })
    await store.update('b', () => 'long', { keepMs: 100_000 })
    await sleep(5)
    expect((await store.read('a')).document).toBeUndefined()
    expect((await store.read('b')).document).toBe('long')
    await store.update('b', () => undefined)
    expect((await store.read('b')).document).toBeUndefined()
    await store.close()
  })

  it('says what went wrong where SQLite has rolled back by itself', async () => {
    const file = join(folder, 'a.db')
    const store = openSqliteStore(file)
    // A trigger does what a full disk does: it ends the transaction in the midst of a statement.
    const other = openRaw(file)
    other.exec("CREATE TRIGGER full BEFORE INSERT ON documents BEGIN SELECT RAISE(ROLLBACK, 'disk is full'); END")
    other.close()
    await expect(store.update('a', () => 'x')).rejects.toThrow('disk is full')
    await store.close()
  })

  it('waits for a writer of another process without holding up the thread, until it is told to stop', async () => {
    const file = join(folder, 'a.db')
    const stores = [openSqliteStore(file), openSqliteStore(file)]
    const lock = new Promise<void>((resolve) => setTimeout(resolve, 150))
    const other = openRaw(file)
    other.exec('BEGIN IMMEDIATE')
    const timeout = AbortSignal.timeout(100)
    await expect(stores[0]!.update('a', () => 'x', { signal: timeout })).rejects.toThrow()
    const waiting = stores[1]!.update('a', () => 'y')
    await lock
    other.exec('COMMIT')
    other.close()
    await waiting
    expect((await stores[0]!.read('a')).document).toBe('y')
    await Promise.all(stores.map((store) => store.close()))
  })

  it('holds up nobody else while many changes wait for such a writer', async () => {
    const file = join(folder, 'a.db')
    const store = openSqliteStore(file)
    const other = openRaw(file)
    other.exec('BEGIN IMMEDIATE')
    const bounded = boundStore(store)
    const began = performance.now()
    const refused = Array.from({ length: 40 }, (_, index) =>
      bounded.update(String(index), () => 'x').catch(() => 'late'),
    )
    let longest = 0
    let last = began
    const look = setInterval(() => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }, 10)
    expect(new Set(await Promise.all(refused))).toEqual(new Set(['late']))
    clearInterval(look)
    expect(longest).toBeLessThan(3000)
    expect(performance.now() - began).toBeLessThan(10_000)
    other.exec('COMMIT')
    other.close()
    await bounded.update('a', () => 'y')
    expect((await bounded.read('0')).document).toBe(undefined)
    await store.close()
  })

  it('keeps the accounts of a file of 0.1.0', async () => {
    const file = join(folder, 'a.db')
    const old = openRaw(file)
    old.exec(
      "CREATE TABLE accounts (name TEXT PRIMARY KEY, document TEXT NOT NULL) STRICT; INSERT INTO accounts VALUES ('shop', 'x')",
    )
    old.close()
    for (let opened = 0; opened < 2; opened++) {
      const store = openSqliteStore(file)
      expect((await store.read('account:shop')).document).toBe('x')
      await store.close()
    }
  })

  it('refuses a file that is no database, or in no folder, and names it', async () => {
    const file = join(folder, 'a.txt')
    await writeFile(file, 'x'.repeat(4096))
    const refusal = (name: string) => `store: the file ${name} could not be opened as an SQLite database`
    expect(() => openSqliteStore(file)).toThrow(`${refusal(file)} (file is not a database)`)
    const lost = join(folder, 'none', 'a.db')
    expect(() => openSqliteStore(lost)).toThrow(`${refusal(lost)} (its folder is not there)`)
  })

  it.skipIf(process.platform === 'win32')(
    'is made for its owner alone, and keeps the mode that it was given',
    async () => {
      const file = join(folder, 'a.db')
      const modes = () =>
        Promise.all(['', '-wal', '-shm'].map(async (end) => ((await stat(file + end)).mode & 0o777).toString(8)))
      const first = openSqliteStore(file)
      await first.update('a', () => 'x')
      expect(await modes()).toEqual(['600', '600', '600'])
      await first.close()
      await chmod(file, 0o640)
      const second = openSqliteStore(file)
      await second.update('a', () => 'y')
      expect(await modes()).toEqual(['640', '640', '640'])
      await second.close()
    },
  )

  it('counts right when several processes write at once', async () => {
    const file = join(folder, 'a.db')
    openSqliteStore(file)
    const script = `
      const { DatabaseSync } = require('node:sqlite')
      const database = new DatabaseSync(${JSON.stringify(file)})
      database.exec('PRAGMA busy_timeout = 10000')
      for (let i = 0; i < 200; i++) {
        database.exec('BEGIN IMMEDIATE')
        const row = database.prepare('SELECT document FROM documents WHERE name = ?').get('a')
        const insert = database.prepare('INSERT OR REPLACE INTO documents (name, document, expires) VALUES (?, ?, 9e15)')
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
    expect(await store.read('a')).toMatchObject({ document: '600' })
    await store.close()
  })
})
