import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { homeFolder } from '../../models/find/home-folder.ts'
import { digest } from '../usage/idempotent-requests.ts'

/**
 * Folder for what a process leaves for the next one of the same store: in another store, charges would be made for accounts
 * that did not ask for them. Warns of charges in the folder around it, which all stores had in versions before, and in those beside
 * it: a store that is renamed or moved has another folder.
 *
 * @param store as `--store` names it
 */
export function defaultJournal(env: Readonly<Record<string, string | undefined>>, store: string): string {
  const folder =
    env.XDG_STATE_HOME ||
    (process.platform === 'win32' && env.LOCALAPPDATA) ||
    join(env.HOME || homeFolder(), '.local/state')
  const shared = join(folder, 'tessera', 'journal')
  const own = join(shared, digest(identify(store)).slice(0, 16))
  warnOfShared(shared)
  for (const name of namesIn(shared)) if (join(shared, name) !== own) warnOfOther(join(shared, name))
  return own
}

/** What stays the same where the user or the password changes. */
function identify(store: string): string {
  if (!/^rediss?:\/\//.test(store)) return resolve(store)
  const { hostname, port, pathname } = new URL(store)
  return `${hostname.toLowerCase()}\n${port || 6379}\n${Number(pathname.slice(1))}`
}

function warnOfShared(folder: string): void {
  const waiting = countIn(folder)
  if (waiting === 0) return
  warn(
    `charges that wait in ${folder} (${waiting}) are not made, as nothing says of which store they are; ` +
      `start the service once with --journal ${folder} and the --store that they are of`,
  )
}

/** Of another service, or of this one while its store had another name: nothing here says which. */
function warnOfOther(folder: string): void {
  const waiting = countIn(folder)
  if (waiting === 0) return
  warn(
    `charges that wait in ${folder} (${waiting}) are not made here, as they are of a store with another name; ` +
      `where that is the store of another service, leave them to it; ` +
      `where this store was renamed or moved, start the service once with --journal ${folder}`,
  )
}

function warn(message: string): void {
  process.emitWarning(message, 'TesseraJournalWarning')
}

function countIn(folder: string): number {
  return namesIn(folder).filter((name) => name.endsWith('.json')).length
}

/** None where it cannot be read or is no folder; whether the journal can be written is said where it is opened. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
