import { readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** `fetch` gives up a connection that is silent for five minutes, so whoever wrote to such a file has ended. */
const ABANDONED_MS = 10 * 60_000

/** Where a blob's content goes until it is whole. Only the process that holds the repository's lock writes to it. */
export function partialOf(blob: string): string {
  return `${blob}.tessera.incomplete`
}

/**
 * Takes what ended downloads by other tools or versions have left of a blob: the largest is continued, the rest removed.
 * A file that somebody may still write to is left alone.
 *
 * @returns bytes that need not be downloaded again
 */
export async function adoptPartial(blob: string): Promise<number> {
  const own = partialOf(blob)
  let size = await sizeOf(own)
  for (const left of await listAbandoned(blob)) {
    const bytes = await sizeOf(left)
    await (bytes > size ? rename(left, own) : rm(left, { force: true }))
    size = Math.max(size, bytes)
  }
  return size
}

async function listAbandoned(blob: string): Promise<string[]> {
  const start = `${basename(blob)}.`
  const names = await readdir(dirname(blob)).catch(() => [])
  const paths = names
    .filter((name) => name.startsWith(start) && name.endsWith('.incomplete'))
    .map((name) => join(dirname(blob), name))
  const ages = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      ),
    ),
  )
  return paths.filter((path, index) => path !== partialOf(blob) && ages[index]! > ABANDONED_MS)
}

/** Bytes of a file, 0 where there is none. */
export async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}
