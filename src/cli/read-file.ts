import { constants } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { InvalidRequestError } from '../errors/index.ts'
import { formatBytes } from '../models/format-bytes.ts'

/** UTF-16 without a byte order mark is UTF-8 of every other character where it is of English words. */
export const ZERO_BYTES = 'must be text in UTF-8, got zero bytes, as text in UTF-16 has them'

/** Without a byte order mark. Bytes of another encoding would be decided on as signs that nobody wrote. */
export function decodeText(bytes: Uint8Array, path: string, source: string): string {
  if (bytes.includes(0)) throw new InvalidRequestError(path, `${source} ${ZERO_BYTES}`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    const most = constants.MAX_STRING_LENGTH
    const reason =
      bytes.length > most
        ? `has ${formatBytes(bytes.length)}, and at most ${formatBytes(most)} are read at once`
        : 'must be text in UTF-8, got bytes that are not'
    throw new InvalidRequestError(path, `${source} ${reason}`, { cause })
  }
}

export async function readNamedText(file: string, path: string): Promise<string> {
  return decodeText(await readBytes(file, path), path, `the file ${file}`)
}

/** What questions look like, for errors. */
export const SUCH_QUESTIONS = 'JSON, such as {"angry":{"type":"noul","instructions":"Is the writer angry?"}}'

/** What may have been meant where there is no file of that name. */
const INSTEAD_OF_FILES: Readonly<Record<string, string>> = {
  state: '; a text itself is given with --state',
  questions: `; questions themselves are ${SUCH_QUESTIONS}`,
}

export async function readBytes(file: string, path: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error'
    const reason = code === 'ENOENT' ? `is not there${INSTEAD_OF_FILES[path] ?? ''}` : `could not be read (${code})`
    throw new InvalidRequestError(path, `the file ${file} ${reason}`, { cause })
  }
}

export function parseJson(json: string, path: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new InvalidRequestError(path, 'expected JSON, got something that does not parse', { cause })
  }
}

/**
 * JSON of the command line.
 *
 * @param given the JSON itself, an object, or the name of a file with it
 * @param path what it is called in errors
 */
export async function readJson(given: string, path: string): Promise<unknown> {
  if (!given.trimStart().startsWith('{')) return parseJson(await readNamedText(given, path), path)
  try {
    return JSON.parse(given)
  } catch (cause) {
    const reason =
      'expected JSON, got something that does not parse; where the shell takes its quotes away, as on Windows, put it into a file and give its name'
    throw new InvalidRequestError(path, reason, { cause })
  }
}
