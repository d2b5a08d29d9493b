import { createReadStream } from 'node:fs'
import { InvalidRequestError } from '../../errors/index.ts'
import { ZERO_BYTES } from '../read-file.ts'
import { readCsv } from './read-csv.ts'
import { splitLines } from './split-lines.ts'

/** A row, and where it begins in its file, from 1. */
interface Row {
  readonly value: unknown
  readonly line: number
}

/**
 * The rows of a file, one at a time: each line of a `.jsonl` file is a JSON value, each row of a `.csv` file an object of
 * its columns by the names in the first row. Files are UTF-8, with or without a byte order mark.
 *
 * @throws InvalidRequestError naming the line that cannot be read
 */
export async function* readRows(file: string): AsyncGenerator<Row, void, undefined> {
  const kind = /\.(jsonl|ndjson|csv)$/i.exec(file)?.[1]?.toLowerCase()
  if (kind === undefined) throw new InvalidRequestError('--each', `must be a .jsonl or .csv file, got ${file}`)
  const text = decode(file)
  yield* kind === 'csv' ? readCsv(text, file) : readLines(text, file)
}

async function* readLines(text: AsyncIterable<string>, file: string): AsyncGenerator<Row, void, undefined> {
  let line = 0
  for await (const { text: json } of splitLines(text)) {
    line++
    if (json.trim() === '') continue
    try {
      yield { value: JSON.parse(json), line }
    } catch (cause) {
      throw new InvalidRequestError('--each', `${file}: line ${line} must be JSON, got something that does not parse`, {
        cause,
      })
    }
  }
}

async function* decode(file: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      const text = decoder.decode(chunk, { stream: true })
      if (text.includes('\0')) throw new InvalidRequestError('--each', `the file ${file} ${ZERO_BYTES}`)
      yield text
    }
    yield decoder.decode()
  } catch (cause) {
    if (InvalidRequestError.isInstance(cause)) throw cause
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException
    const reason =
      code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
        ? `the file ${file} must be text in UTF-8, got bytes that are not`
        : `the file ${file} ${code === 'ENOENT' ? 'is not there' : `could not be read (${code})`}`
    throw new InvalidRequestError('--each', reason, { cause })
  }
}
