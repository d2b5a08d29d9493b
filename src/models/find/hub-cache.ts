import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { homeFolder } from './home-folder.ts'

/** The hub's own variables; see huggingface.co/docs/huggingface_hub/package_reference/environment_variables. One that is empty counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The folder where the hub's tools keep checkpoints: `HF_HUB_CACHE`, `HUGGINGFACE_HUB_CACHE`, `HF_HOME/hub`, or below `~/.cache`. */
export function hubCacheFolder(env: Environment): string {
  const given = readVariable(env, 'HF_HUB_CACHE') || readVariable(env, 'HUGGINGFACE_HUB_CACHE')
  return given ? expandPath(given, env) : join(hubHome(env), 'hub')
}

/** The file where the hub's tools keep the token of `hf auth login`: `HF_TOKEN_PATH`, or below `HF_HOME`. */
export function hubTokenFile(env: Environment): string {
  const given = readVariable(env, 'HF_TOKEN_PATH')
  return given ? expandPath(given, env) : join(hubHome(env), 'token')
}

/** The folder where the hub's tools keep their own files. */
function hubHome(env: Environment): string {
  const given =
    readVariable(env, 'HF_HOME') ||
    join(readVariable(env, 'XDG_CACHE_HOME') || join(homeFolder(), '.cache'), 'huggingface')
  return expandPath(given, env)
}

/** A variable in a path: `$NAME` or `${NAME}`; on Windows `%NAME%` too, of which the shortest, `%%`, is a `%`. */
const VARIABLE = /\$(?:\w+|\{[^}]*\})/g
const VARIABLE_ON_WINDOWS = /\$(?:\w+|\{[^}]*\})|%[^%]*%/g

/** Reads a path as the hub's tools do, as files of settings have no shell that would: with `~` and variables. */
function expandPath(path: string, env: Environment): string {
  const read = (written: string) => readVariable(env, written.replace(/^(?:\$\{?|%)|[}%]$/g, '')) ?? written
  return path
    .replace(/^~(?=$|[\\/])/, () => homeFolder())
    .replace(process.platform === 'win32' ? VARIABLE_ON_WINDOWS : VARIABLE, (written) =>
      written === '%%' ? '%' : read(written),
    )
}

/** On Windows case does not count in names of variables; that of a worker thread is a copy in which it does. */
function readVariable(env: Environment, name: string): string | undefined {
  if (env[name] !== undefined || process.platform !== 'win32') return env[name]
  const [, value] = Object.entries(env).find(([other]) => other.toUpperCase() === name.toUpperCase()) ?? []
  return value
}

/** The folder where the cache keeps the model `owner/name`, with its blobs, snapshots and references. */
export function repositoryFolder(id: string, env: Environment): string {
  return join(hubCacheFolder(env), repositoryName(id))
}

/** The lock that a process holds while it writes to or removes that folder. */
export function repositoryLock(id: string, env: Environment): string {
  return join(hubCacheFolder(env), '.locks', repositoryName(id), 'tessera.lock')
}

function repositoryName(id: string): string {
  return `models--${id.replace('/', '--')}`
}

/**
 * The snapshot folder of `owner/name` that the hub's tools have downloaded: of a branch, tag or commit; of `main`, where that is
 * unknown, its only one. Undefined where there is none.
 */
export async function findInHubCache(id: string, env: Environment, revision = 'main'): Promise<string | undefined> {
  const folder = repositoryFolder(id, env)
  const snapshots = join(folder, 'snapshots')
  const commits = await readdir(snapshots).catch(() => [])
  const commit = (await readFile(join(folder, 'refs', revision), 'utf8').catch(() => revision)).trim()
  const only = revision === 'main' && commits.length === 1 ? commits[0] : undefined
  const found = commits.find((name) => name === commit) ?? only
  return found && join(snapshots, found)
}

/** Whether a name has the form `owner/name`, and leads through no folders. */
export function isHubId(name: string): boolean {
  return /^\w[\w.-]*\/\w[\w.-]*$/.test(name)
}

/** The `owner/name` in the address of one of the hub's pages or files, as browsers show it. */
export function hubIdInAddress(address: string): string | undefined {
  return /^https?:\/\/[^/]+\/(\w[\w.-]*\/\w[\w.-]*)/.exec(address)?.[1]
}
