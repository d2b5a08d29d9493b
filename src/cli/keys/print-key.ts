import colors from 'picocolors'
import type { BookChange } from '../../http/keys/key-book.ts'
import { printResult } from '../run-command.ts'
import type { KeyPlace } from './key-place.ts'

/** Shows a key that was just made; nothing can show it again. */
export function printNewKey(
  json: boolean,
  key: string,
  { key: name, account, detail }: BookChange,
  place: KeyPlace,
): void {
  printResult(json, { key, name, account, ...(detail !== undefined && { detail }) }, () => `key ${key}`)
  if (json) return
  const words = `${name} of the account ${account}${detail === undefined ? '' : `, ${detail}`}`
  process.stderr.write(`${colors.dim(`${words}. It is shown this once; ${place.name} has its SHA-256 only.`)}\n`)
}
