import { InvalidRequestError } from '../../errors/index.ts'
import type { LabelledRow } from '../../evaluate/labelled-rows.ts'
import { kindOf } from '../../schemas/fault.ts'
import { parseJson, readJson, readNamedText } from '../read-file.ts'

/** Arguments of the commands that read labelled rows. */
export const labelledArguments = {
  data: {
    type: 'string',
    required: true,
    description: 'JSON lines, each {"state": …, "questions": {…}, "labels": {"<question>": true, "option" or level}}',
    valueHint: 'file.jsonl',
  },
  questions: {
    type: 'string',
    alias: 'q',
    description: 'questions of all rows as JSON, or a file with them; rows then have state and labels only',
    valueHint: 'json|file',
  },
} as const

interface LabelledFile {
  readonly rows: readonly LabelledRow[]
  /** Where each row stands, from 1. Blank lines are none. */
  readonly lines: readonly number[]
}

/**
 * Labelled rows of a file, one JSON object a line; what they hold is checked by whoever uses them.
 *
 * @throws InvalidRequestError naming file and line
 */
export async function readLabelledRows(args: { data: string; questions?: string | undefined }): Promise<LabelledFile> {
  const questions =
    args.questions === undefined
      ? undefined
      : requireObject(await readJson(args.questions, '--questions'), '--questions')
  const text = await readNamedText(args.data, '--data')
  // A file of that name may still hold JSON lines.
  if (/\.[ct]sv$/i.test(args.data) && !text.trimStart().startsWith('{')) {
    const reason = `labelled rows are JSON lines (.jsonl), each {"state": …, "labels": {…}}; got the table ${args.data}`
    throw new InvalidRequestError('--data', reason)
  }
  const found = text.split('\n').flatMap((json, index) => (json.trim() === '' ? [] : [{ json, line: index + 1 }]))
  if (found.length === 0) throw new InvalidRequestError('--data', `${args.data} has no rows`)
  const rows = found.map(({ json, line }) => readRow(json, placeOf(line), questions))
  return { rows: rows as unknown as LabelledRow[], lines: found.map(({ line }) => line) }
}

/** What `use` gives; where it refuses a row by its index, the line of the file is named, as that is where it is mended. */
export async function namingLines<T>(lines: readonly number[], use: () => Promise<T>): Promise<T> {
  try {
    return await use()
  } catch (thrown) {
    if (!InvalidRequestError.isInstance(thrown) || thrown.loc[0] !== 'rows') throw thrown
    const line = lines[Number(thrown.loc[1])]
    if (line === undefined) throw thrown
    const place = [placeOf(line), ...thrown.loc.slice(2)]
    throw new InvalidRequestError(place.join('.'), thrown.reason, { loc: place, cause: thrown })
  }
}

function placeOf(line: number): string {
  return `--data, line ${line}`
}

function readRow(line: string, path: string, questions: object | undefined): Record<string, unknown> {
  const row = requireObject(parseJson(line, path), path)
  if (questions === undefined) {
    if ('questions' in row) return row
    throw new InvalidRequestError(
      `${path}.questions`,
      'is required: an object of questions; give those of all rows as --questions',
    )
  }
  if ('questions' in row)
    throw new InvalidRequestError(path, 'has questions of its own, beside those of --questions; leave out either')
  return { questions, ...row }
}

function requireObject(value: unknown, path: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new InvalidRequestError(path, `expected a JSON object, got ${kindOf(value)}`)
}
