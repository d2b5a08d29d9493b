import { open, truncate } from 'node:fs/promises'
import { InvalidRequestError } from '../errors/index.ts'
import { splitLines } from './split-lines.ts'

/** A line of what `decide --each` writes. */
interface AnsweredRow {
  readonly row: number
  readonly answers?: Readonly<Record<string, unknown>>
}

/**
 * How many rows an earlier run has answered into a file: 0 where there is none. A last line that was not written whole is
 * cut off.
 *
 * @param names of the questions, where they are the same for all rows
 * @throws InvalidRequestError when the file holds something else, or answers to other questions
 */
export async function countAnswered(file: string, names?: readonly string[]): Promise<number> {
  const handle = await open(file, 'r').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined
    throw new InvalidRequestError('--out', `${file} could not be read (${cause.code})`, { cause })
  })
  if (handle === undefined) return 0
  await using _ = handle
  const { size } = await handle.stat()
  let rows = 0
  let bytes = 0
  for await (const line of splitLines(handle.createReadStream({ autoClose: false, encoding: 'utf8' }))) {
    // Without its line break it may not be all that was to be written.
    if (!line.isWhole) break
    checkLine(line.text, rows, file, names)
    rows++
    bytes += line.bytes
  }
  if (bytes < size) await truncate(file, bytes)
  return rows
}

function checkLine(line: string, row: number, file: string, names: readonly string[] | undefined): void {
  const other = (reason: string) =>
    new InvalidRequestError('--out', `${file} ${reason}; give another file, or --force to replace it`)
  const answered = parse(line)
  if (answered?.row !== row) throw other(`does not have the answers of an earlier run in line ${row + 1}`)
  const given = answered.answers && Object.keys(answered.answers)
  if (given === undefined || names === undefined) return
  if (given.length !== names.length || !names.every((name) => given.includes(name)))
    throw other('has answers to other questions')
}

function parse(line: string): AnsweredRow | undefined {
  try {
    return JSON.parse(line) as AnsweredRow
  } catch {
    return undefined
  }
}
