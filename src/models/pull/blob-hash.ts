import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

/** How a repository names the content of a file: large files by SHA-256, files in git as a git blob. */
export interface ContentName {
  readonly algorithm: 'sha256' | 'git'
  readonly hash: string
}

/**
 * The hash of a file's content in the form that `name` has; git hashes a header with the size first.
 *
 * @throws what Node throws when the signal fires
 */
export async function hashFile(
  path: string,
  size: number,
  { algorithm }: ContentName,
  signal?: AbortSignal,
): Promise<string> {
  const hash = createHash(algorithm === 'git' ? 'sha1' : 'sha256')
  if (algorithm === 'git') hash.update(`blob ${size}\0`)
  await pipeline(createReadStream(path), hash, { signal })
  return hash.digest('hex')
}
