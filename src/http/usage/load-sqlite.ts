/** What is used of `node:sqlite`, which the type definitions of the oldest supported Node do not have. */
interface Sqlite {
  readonly DatabaseSync: new (file: string) => Database
}

export interface Database {
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

interface Statement {
  get(...values: (string | number)[]): { readonly document: string } | undefined
  all(...values: (string | number)[]): { readonly document: string }[]
  run(...values: (string | number)[]): unknown
}

/** Undefined before Node 22.5. */
export function loadSqlite(): Sqlite | undefined {
  return process.getBuiltinModule('node:sqlite') as Sqlite | undefined
}
