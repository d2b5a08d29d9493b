import { appendFile, type FileHandle, open, stat, truncate } from 'node:fs/promises'
import { InvalidRequestError } from '../../errors/index.ts'
import { isPassing } from './answer-line.ts'
import { isSameAsked } from './asked-digest.ts'
import { splitLines } from './split-lines.ts'

/** A line of what `decide --each` writes. */
interface AnsweredRow {
  readonly row: number
  /** What it answers, as `askedDigest` says it. */
  readonly asked?: unknown
  /** Why it has no answers. */
  readonly error?: unknown
}

/** What is in a file of answers. */
export interface AnsweredRows {
  readonly rows: number
  /** Those of them that could not be answered. */
  readonly failed: number
  /** Those of them that failed for a reason that may be over. */
  readonly passing: number
}

export const NONE: AnsweredRows = { rows: 0, failed: 0, passing: 0 }

/**
 * How many rows an earlier run has answered into a file: none where there is no file. A last line of that run that was not
 * written whole is cut off.
 *
 * @param rows what is asked now, of which as many are taken as the file has answers
 * @throws InvalidRequestError when the file holds something else, or answers to something else
 */
export async function countAnswered(
  file: string,
  rows: AsyncIterator<{ readonly asked: string }>,
): Promise<AnsweredRows> {
  // Devices and pipes, such as /dev/stdout, have nothing to go on from, and reading one may wait for ever.
  if ((await stat(file).catch(() => undefined))?.isFile() === false) return NONE
  const handle = await open(file, 'r').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined
    throw new InvalidRequestError('--out', `${file} could not be read (${cause.code})`, { cause })
  })
  // Not by `await using`: under Yarn's Plug'n'Play files are its own, which cannot be disposed.
  try {
    return handle === undefined ? NONE : await countIn(handle, file, rows)
  } finally {
    await handle?.close()
  }
}

async function countIn(
  handle: FileHandle,
  file: string,
  rows: AsyncIterator<{ readonly asked: string }>,
): Promise<AnsweredRows> {
  const { size } = await handle.stat()
  let count = 0
  let failed = 0
  let passing = 0
  let bytes = 0
  let lacksBreak = false
  for await (const line of splitLines(handle.createReadStream({ autoClose: false, encoding: 'utf8' }))) {
    const answered = parse(line.text)
    if (!line.isWhole && answered === undefined && isBegun(line.text, count)) break
    if (answered?.row !== count) throw other(file, `does not have the answers of an earlier run in line ${count + 1}`)
    const { done, value } = await rows.next()
    if (done) throw other(file, `has answers to more rows than there are now, ${count}`)
    checkAsked(file, answered, value.asked)
    count++
    if (answered.error !== undefined) failed++
    if (isPassing(answered.error)) passing++
    bytes += line.bytes
    lacksBreak = !line.isWhole
  }
  if (bytes < size) await truncate(file, bytes)
  if (lacksBreak) await appendFile(file, '\n')
  return { rows: count, failed, passing }
}

/** Whether the answers to a row may begin so. What else has no line break at its end is somebody's, and is not cut off. */
function isBegun(text: string, row: number): boolean {
  const start = `{"row":${row},`
  return text.startsWith(start) || start.startsWith(text)
}

function checkAsked(file: string, { row, asked }: AnsweredRow, now: string): void {
  if (asked === now) return
  const line = `in line ${row + 1}`
  if (typeof asked !== 'string') throw other(file, `does not say ${line} what was asked`)
  throw isSameAsked(asked, now)
    ? other(file, `has ${line} the answers to another row than is there now`)
    : other(file, `has ${line} answers to other questions, with other options or of another model`)
}

function other(file: string, reason: string): InvalidRequestError {
  return new InvalidRequestError('--out', `${file} ${reason}; give another file, or --force to replace it`)
}

function parse(line: string): AnsweredRow | undefined {
  try {
    return JSON.parse(line) as AnsweredRow
  } catch {
    return undefined
  }
}
