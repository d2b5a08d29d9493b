import { InvalidRequestError } from '../../errors/index.ts'
import type { UsageStore } from './usage-store.ts'

/** What is used of `node:sqlite`, which the type definitions of the oldest supported Node do not have. */
interface Sqlite {
  readonly DatabaseSync: new (file: string) => Database
}

interface Database {
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

interface Statement {
  get(...values: string[]): { readonly document: string } | undefined
  run(...values: string[]): unknown
}

/** True where this Node has `node:sqlite`. */
export function hasSqlite(): boolean {
  return loadSqlite() !== undefined
}

/**
 * Accounts in an SQLite file, shared by every process of this machine that opens it. Created where it does not exist.
 *
 * @throws InvalidRequestError where Node has no `node:sqlite` (it came with 22.5), or the file cannot be opened
 */
export function openSqliteStore(file: string): UsageStore {
  const database = openDatabase(file)
  const select = database.prepare('SELECT document FROM accounts WHERE name = ?')
  const replace = database.prepare('INSERT OR REPLACE INTO accounts (name, document) VALUES (?, ?)')
  let open = true
  return {
    read: async (account) => select.get(account)?.document,
    async update(account, change) {
      // IMMEDIATE takes the write lock before the read: a change is never made from a document that has moved on.
      database.exec('BEGIN IMMEDIATE')
      try {
        replace.run(account, change(select.get(account)?.document))
        database.exec('COMMIT')
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },
    async close() {
      if (open) database.close()
      open = false
    },
  }
}

function loadSqlite(): Sqlite | undefined {
  return process.getBuiltinModule('node:sqlite') as Sqlite | undefined
}

function openDatabase(file: string): Database {
  const sqlite = loadSqlite()
  if (sqlite === undefined) {
    throw new InvalidRequestError(
      'store',
      `a file needs Node 22.5 or newer, got ${process.version}; use the memory store`,
    )
  }
  try {
    const database = new sqlite.DatabaseSync(file)
    // Writers of other processes are waited for rather than refused, and readers never wait for a writer.
    database.exec('PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    database.exec('CREATE TABLE IF NOT EXISTS accounts (name TEXT PRIMARY KEY, document TEXT NOT NULL) STRICT')
    return database
  } catch (cause) {
    throw new InvalidRequestError('store', `the file ${file} could not be opened as an SQLite database`, { cause })
  }
}
