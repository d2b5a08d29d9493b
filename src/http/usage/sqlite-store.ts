import { closeSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { InvalidRequestError } from '../../errors/index.ts'
import { type Database, loadSqlite } from './load-sqlite.ts'
import type { Change, UpdateOptions, UsageStore } from './usage-store.ts'

/** How soon a writer tries again where another process holds the lock. The thread is free in between. */
const BUSY_RETRY_MS = 5

const SQLITE_BUSY = 5

/** Written documents between two searches for those that have expired. */
const SWEEP_EVERY = 1000

/**
 * Accounts in an SQLite file, shared by every process of this machine that opens it. Created where it does not exist, for
 * its owner alone.
 *
 * @example
 * ```ts
 * const server = createServer({ engine, keys: ['a-long-secret'], store: openSqliteStore('usage.db') })
 * ```
 *
 * @throws InvalidRequestError where Node has no `node:sqlite` (it came with 22.5), or the file cannot be opened
 */
export function openSqliteStore(file: string): UsageStore {
  const database = openDatabase(file)
  const select = database.prepare('SELECT document FROM documents WHERE name = ? AND expires > ?')
  const replace = database.prepare('INSERT OR REPLACE INTO documents (name, document, expires) VALUES (?, ?, ?)')
  const remove = database.prepare('DELETE FROM documents WHERE name = ?')
  const list = database.prepare('SELECT name AS document FROM documents WHERE substr(name, 1, ?) = ? AND expires > ?')
  const sweep = database.prepare('DELETE FROM documents WHERE expires <= ?')
  let writes = 0
  let open = true

  async function make(name: string, change: Change, { signal, keepMs }: UpdateOptions = {}): Promise<void> {
    signal?.throwIfAborted()
    while (!begin(database)) await sleep(BUSY_RETRY_MS, undefined, { signal })
    // Until the end of the transaction nothing else of this process may run, as all share one connection.
    try {
      // All processes that share the file run on one machine, whose clock is that of the store.
      const now = Date.now()
      const document = select.get(name, now)?.document
      const next = change(document, now)
      if (next === undefined) remove.run(name)
      else if (next !== document) replace.run(name, next, keepMs === undefined ? Number.MAX_SAFE_INTEGER : now + keepMs)
      if (++writes % SWEEP_EVERY === 0) sweep.run(now)
      database.exec('COMMIT')
    } catch (error) {
      rollBack(database)
      throw error
    }
  }

  return {
    async read(name) {
      const now = Date.now()
      return { document: select.get(name, now)?.document, now }
    },
    update: oneByOne(make),
    async names(prefix) {
      // SQLite counts code points where JavaScript counts UTF-16 units.
      return list.all([...prefix].length, prefix, Date.now()).map(({ document }) => document)
    },
    async close() {
      if (open) database.close()
      open = false
    },
  }
}

/** Of the changes of a process one waits for the lock at a time, as each asks for it again and again. */
function oneByOne(update: UsageStore['update']): UsageStore['update'] {
  let last = Promise.resolve()
  return (...change) => {
    const made = last.then(() => update(...change))
    last = made.catch(() => {})
    return made
  }
}

/**
 * IMMEDIATE takes the write lock before the read: a change is never made from a document that has moved on. SQLite is not to wait for it, as
 * the thread would stand still meanwhile.
 *
 * @returns false where another process has the lock
 */
function begin(database: Database): boolean {
  try {
    database.exec('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE')
    return true
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false
    throw error
  } finally {
    database.exec(READ_PATIENCE)
  }
}

/** A full disk, for one, makes SQLite roll back by itself; then there is nothing to do, and the first error counts. */
function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // The error that led here says what happened.
  }
}

/** A read is held up only while another process repairs or closes the file. */
const READ_PATIENCE = 'PRAGMA busy_timeout = 50'

const SCHEMA = `
  PRAGMA busy_timeout = 2000;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS documents (name TEXT PRIMARY KEY, document TEXT NOT NULL, expires INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS documents_expire ON documents (expires);
  ${READ_PATIENCE}`

/** Files of 0.1.0 keep accounts in a table of their own. */
const MIGRATION = `
  BEGIN IMMEDIATE;
  INSERT OR IGNORE INTO documents SELECT 'account:' || name, document, ${Number.MAX_SAFE_INTEGER} FROM accounts;
  DROP TABLE accounts;
  COMMIT`

/** What SQLite takes for something else than a path. */
const NO_PATH = /^(?::memory:$|file:)/

function openDatabase(file: string): Database {
  const sqlite = loadSqlite()
  if (sqlite === undefined) {
    throw new InvalidRequestError(
      'store',
      `a file needs Node 22.5 or newer, got ${process.version}; update Node, or use a Redis server`,
    )
  }
  try {
    if (!NO_PATH.test(file)) makePrivate(file)
    const database = new sqlite.DatabaseSync(file)
    database.exec(SCHEMA)
    const old = database.prepare("SELECT name AS document FROM sqlite_schema WHERE name = 'accounts'").get()
    if (old !== undefined) database.exec(MIGRATION)
    return database
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'its folder is not there' : message
    throw new InvalidRequestError('store', `the file ${file} could not be opened as an SQLite database (${reason})`, {
      cause,
    })
  }
}

/** SQLite would let everyone on the machine read what it makes. The files beside it get the mode of this one. */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
