import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { homeFolder } from '../../models/find/home-folder.ts'
import { digest } from '../digest.ts'

/**
 * Folder for what a process leaves for the next one of the same store: in another store, charges would be made for accounts
 * that did not ask for them. Warns of charges in the folders beside it: a store that is renamed or moved has another
 * folder.
 *
 * @param store as `--store` names it
 */
export function defaultJournal(env: Readonly<Record<string, string | undefined>>, store: string): string {
  const folder =
    env.XDG_STATE_HOME ||
    (process.platform === 'win32' && env.LOCALAPPDATA) ||
    join(env.HOME || homeFolder(), '.local/state')
  const all = join(folder, 'tessera', 'journal')
  const own = join(all, digest(identify(store)).slice(0, 16))
  for (const name of namesIn(all)) if (join(all, name) !== own) warnOfOther(join(all, name))
  return own
}

/** What stays the same where the user or the password changes. */
function identify(store: string): string {
  if (!/^rediss?:\/\//.test(store)) return resolve(store)
  const { hostname, port, pathname } = new URL(store)
  return `${hostname.toLowerCase()}\n${port || 6379}\n${Number(pathname.slice(1))}`
}

/** Of another service, or of this one while its store had another name: nothing here says which. */
function warnOfOther(folder: string): void {
  const waiting = namesIn(folder).filter((name) => name.endsWith('.json')).length
  if (waiting === 0) return
  process.emitWarning(
    `charges that wait in ${folder} (${waiting}) are not made here, as they are of a store with another name; ` +
      `where that is the store of another service, leave them to it; ` +
      `where this store was renamed or moved, start the service once with --journal ${folder}`,
    'TesseraJournalWarning',
  )
}

/** None where it cannot be read or is no folder; whether the journal can be written is said where it is opened. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
