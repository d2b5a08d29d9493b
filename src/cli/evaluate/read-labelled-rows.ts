import { InvalidRequestError } from '../../errors/index.ts'
import type { LabelledRow } from '../../evaluate/labelled-rows.ts'
import { kindOf } from '../../schemas/fault.ts'
import { parseJson, readNamedText } from '../read-request.ts'

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
    description: 'file with the questions of all rows, which then have state and labels only',
    valueHint: 'file.json',
  },
} as const

/**
 * Labelled rows of a file, one JSON object a line; what they hold is checked by whoever uses them.
 *
 * @throws InvalidRequestError naming file and line
 */
export async function readLabelledRows(args: { data: string; questions?: string | undefined }): Promise<LabelledRow[]> {
  const questions =
    args.questions === undefined
      ? undefined
      : parseObject(await readNamedText(args.questions, '--questions'), '--questions')
  const lines = (await readNamedText(args.data, '--data')).split('\n')
  const rows = lines.flatMap((line, index) =>
    line.trim() === '' ? [] : [readRow(line, `--data, line ${index + 1}`, questions)],
  )
  if (rows.length === 0) throw new InvalidRequestError('--data', `${args.data} has no rows`)
  return rows as unknown as LabelledRow[]
}

function readRow(line: string, path: string, questions: object | undefined): Record<string, unknown> {
  const row = parseObject(line, path)
  if (questions === undefined) return row
  if ('questions' in row)
    throw new InvalidRequestError(path, 'has questions of its own, beside those of --questions; leave out either')
  return { questions, ...row }
}

function parseObject(text: string, path: string): Record<string, unknown> {
  const value = parseJson(text, path)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new InvalidRequestError(path, `expected a JSON object, got ${kindOf(value)}`)
}
