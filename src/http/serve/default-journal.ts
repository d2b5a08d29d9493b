import { join } from 'node:path'
import { homeFolder } from '../../models/find/home-folder.ts'

/** Folder for what a process leaves for the next one. */
export function defaultJournal(env: Readonly<Record<string, string | undefined>>): string {
  const folder =
    env.XDG_STATE_HOME ||
    (process.platform === 'win32' && env.LOCALAPPDATA) ||
    join(env.HOME || homeFolder(), '.local/state')
  return join(folder, 'tessera', 'journal')
}
