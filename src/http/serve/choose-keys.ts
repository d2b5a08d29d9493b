import { join } from 'node:path'
import { InvalidRequestError } from '../../errors/index.ts'
import { homeFolder } from '../../models/find/home-folder.ts'
import type { KeyStore } from '../keys/key-store.ts'
import { OPERATOR_VARIABLES, readKeysFromEnvironment } from '../keys/static-keys.ts'
import { StoredKeys } from '../keys/stored-keys.ts'
import type { UsageStore } from '../usage/usage-store.ts'
import { makeKeyFile } from './key-file.ts'
import { WatchedKeys } from './watched-keys.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface KeyChoice {
  readonly keys: KeyStore
  /** The same keys where they are those of a file, which may change. */
  readonly watched?: WatchedKeys
  /** A key that was made just now; it can be shown this once. */
  readonly fresh?: { readonly key: string; readonly file: string }
}

/**
 * The keys of `tessera serve`: a named file, else those of the environment, else those of the store alone where it has
 * any, else, where no other machine can connect, the file of an earlier run or a new key.
 *
 * @throws InvalidRequestError where the keys named are not there or would have no effect, or a key made here would open
 * more than this machine
 */
export async function chooseKeys(
  host: string,
  keysFile: string | undefined,
  env: Environment,
  store?: UsageStore,
): Promise<KeyChoice> {
  const isLocal = isLoopback(host)
  if (keysFile !== undefined) {
    refuseOperatorVariables(env)
    const watched = await WatchedKeys.open(keysFile, isLocal)
    if (watched === undefined) throw new InvalidRequestError('keys-file', `there is no file ${keysFile}`)
    return { keys: watched, watched }
  }
  const given = readKeysFromEnvironment(env)
  if (given !== undefined) return { keys: given }
  // The server asks its store for every key that it was not given.
  if (store && (await new StoredKeys(store).read()).keys.length > 0) return { keys: { find: () => undefined } }
  if (!isLocal) {
    throw new InvalidRequestError(
      'host',
      `listening on ${host} opens the service to other machines, which needs keys of your own: ` +
        'set TESSERA_API_KEYS, give --keys-file, or add some to the store; keys that were made for this machine alone are not taken',
    )
  }
  const file = defaultKeyFile(env)
  const earlier = await WatchedKeys.open(file, isLocal)
  if (earlier !== undefined) return { keys: earlier, watched: earlier }
  const key = await makeKeyFile(file)
  const watched = (await WatchedKeys.open(file, isLocal))!
  return { keys: watched, watched, ...(key !== undefined && { fresh: { key, file } }) }
}

/** Beside a file they look like an addition to it and would open nothing, which operators would learn from a 401 alone. */
function refuseOperatorVariables(env: Environment): void {
  for (const [name, scope] of Object.entries(OPERATOR_VARIABLES)) {
    if (env[name] === undefined) continue
    throw new InvalidRequestError(
      name,
      'must not be set beside --keys-file, with which no keys of the environment are read; unset it, and give the file a key with ' +
        `this scope: npx tessera-onnx keys add --scopes ${scope} --keys-file FILE`,
    )
  }
}

/** True for the names of this machine alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
}

/** Where the keys of a first run are kept. */
export function defaultKeyFile(env: Environment): string {
  const folder =
    env.XDG_CONFIG_HOME || (process.platform === 'win32' && env.APPDATA) || join(env.HOME || homeFolder(), '.config')
  return join(folder, 'tessera', 'keys.json')
}
