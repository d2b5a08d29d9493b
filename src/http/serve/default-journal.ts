import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { homeFolder } from '../../models/find/home-folder.ts'
import { digest } from '../usage/idempotent-requests.ts'

/**
 * Folder for what a process leaves for the next one of the same store: in another store, charges would be made for accounts
 * that did not ask for them. Warns of charges in the folder around it, which all stores had in versions before.
 *
 * @param store as `--store` names it
 */
export function defaultJournal(env: Readonly<Record<string, string | undefined>>, store: string): string {
  const folder =
    env.XDG_STATE_HOME ||
    (process.platform === 'win32' && env.LOCALAPPDATA) ||
    join(env.HOME || homeFolder(), '.local/state')
  const shared = join(folder, 'tessera', 'journal')
  warnOfShared(shared)
  return join(shared, digest(identify(store)).slice(0, 16))
}

/** What stays the same where the user or the password changes. */
function identify(store: string): string {
  if (!/^rediss?:\/\//.test(store)) return resolve(store)
  const { hostname, port, pathname } = new URL(store)
  return `${hostname.toLowerCase()}\n${port || 6379}\n${Number(pathname.slice(1))}`
}

function warnOfShared(folder: string): void {
  const waiting = namesIn(folder).filter((name) => name.endsWith('.json')).length
  if (waiting === 0) return
  process.emitWarning(
    `charges that wait in ${folder} (${waiting}) are not made, as nothing says of which store they are; ` +
      `start the service once with --journal ${folder} and the --store that they are of`,
    'TesseraJournalWarning',
  )
}

/** None where it cannot be read; whether the journal can be written is said where it is opened. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
