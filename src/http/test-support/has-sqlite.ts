import { loadSqlite } from '../usage/load-sqlite.ts'

/** True where this Node has `node:sqlite`. */
export function hasSqlite(): boolean {
  return loadSqlite() !== undefined
}
