import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type * as Bullmq from 'bullmq'
import { InvalidRequestError } from '../errors/index.ts'

/** With BullMQ 5 a worker waits for ever, without an error. */
const OLDEST = [6, 7] as const

type Loaded = Pick<typeof Bullmq, 'createNodeRedisClient' | 'Queue' | 'WaitingError' | 'Worker'>

/** @throws InvalidRequestError where the package is missing or too old */
export async function loadBullmq(readVersion = readInstalledVersion): Promise<Loaded> {
  const bullmq = await import('bullmq').catch((cause: unknown) => {
    throw missing(cause)
  })
  // In a bundle there may be no files of it.
  requireVersion(await readVersion().catch(() => undefined))
  return bullmq
}

/**
 * Looks whether the package is beside this one, without loading it, which takes a fifth of a second.
 *
 * @throws InvalidRequestError where it is missing or too old
 */
export async function requireBullmq(readVersion = readInstalledVersion): Promise<void> {
  const version = await readVersion().catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'MODULE_NOT_FOUND') throw missing(cause)
    return undefined
  })
  requireVersion(version)
}

function missing(cause: unknown): InvalidRequestError {
  return new InvalidRequestError('connection', 'a queue needs the package bullmq: npm install bullmq', { cause })
}

async function readInstalledVersion(): Promise<string | undefined> {
  const file = createRequire(import.meta.url).resolve('bullmq/package.json')
  return (JSON.parse(await readFile(file, 'utf8')) as { readonly version?: string }).version
}

/** The range of a peer would keep apps with an older one, which may want no queue of this library, from installing it at all. */
function requireVersion(version: string | undefined): void {
  if (version === undefined) return
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return
  const reason = `a queue needs bullmq ${OLDEST.join('.')} or later, got ${version}: npm install bullmq@latest`
  throw new InvalidRequestError('connection', reason)
}
