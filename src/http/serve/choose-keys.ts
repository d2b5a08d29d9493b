import { homedir } from 'node:os'
import { join } from 'node:path'
import { InvalidRequestError } from '../../errors/index.ts'
import type { KeyStore } from '../keys/key-store.ts'
import { readKeysFromEnvironment } from '../keys/static-keys.ts'
import { makeKeyFile, readKeyFile } from './key-file.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface KeyChoice {
  readonly keys: KeyStore
  /** A key that was made just now; it can be shown this once. */
  readonly fresh?: { readonly key: string; readonly file: string }
}

/**
 * The keys of `tessera serve`: a named file, else `TESSERA_API_KEYS`, else the file of an earlier run, else a new key.
 *
 * @throws InvalidRequestError where the keys named are not there, or a new key would open more than this machine
 */
export async function chooseKeys(host: string, keysFile: string | undefined, env: Environment): Promise<KeyChoice> {
  if (keysFile !== undefined) {
    const keys = await readKeyFile(keysFile)
    if (keys === undefined) throw new InvalidRequestError('keys-file', `there is no file ${keysFile}`)
    return { keys }
  }
  const given = readKeysFromEnvironment(env)
  if (given !== undefined) return { keys: given }
  const file = defaultKeyFile(env)
  const earlier = await readKeyFile(file)
  if (earlier !== undefined) return { keys: earlier }
  if (!isLoopback(host)) {
    throw new InvalidRequestError(
      'host',
      `listening on ${host} opens the service to other machines, which needs keys of your own: ` +
        'set TESSERA_API_KEYS or give --keys-file',
    )
  }
  const key = await makeKeyFile(file)
  return { keys: (await readKeyFile(file))!, ...(key !== undefined && { fresh: { key, file } }) }
}

/** True for the names of this machine alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
}

function defaultKeyFile(env: Environment): string {
  const folder =
    env.XDG_CONFIG_HOME || (process.platform === 'win32' && env.APPDATA) || join(env.HOME || homedir(), '.config')
  return join(folder, 'tessera', 'keys.json')
}
