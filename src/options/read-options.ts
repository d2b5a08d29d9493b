import * as z from 'zod'
import { InvalidRequestError } from '../errors/index.ts'
import { mustBe, withoutGaps } from './option-kinds.ts'

/**
 * The options of one thing, each with its kind and default. Others are refused: one that is misspelt, and so never read,
 * would leave its default in force without a word.
 *
 * @param owner whose options they are, such as `an engine`
 */
export function optionTable<Shape extends z.core.$ZodLooseShape>(owner: string, shape: Shape) {
  const names = Object.keys(shape).join(', ')
  const notAnObject = mustBe('an object').error
  const error = (issue: { readonly code?: string; readonly input?: unknown }) =>
    issue.code === 'unrecognized_keys' ? `is no option of ${owner}; those are ${names}` : notAnObject(issue)
  return z.strictObject(shape, { error }).transform(withoutGaps)
}

/**
 * Checks options and fills in their defaults.
 *
 * @throws InvalidRequestError naming the option
 */
export function readOptions<Table extends z.ZodType>(table: Table, options: unknown): z.output<Table> {
  return readOption('options', table, options)
}

/**
 * Checks one value.
 *
 * @param name of the option, where the fault is the value itself
 * @throws InvalidRequestError naming the option
 */
export function readOption<Kind extends z.ZodType>(name: string, kind: Kind, value: unknown): z.output<Kind> {
  const result = kind.safeParse(value)
  if (result.success) return result.data
  const issue = result.error.issues[0]!
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  const loc = [...issue.path.map(String), ...unknown]
  throw new InvalidRequestError(loc.length === 0 ? name : loc.join('.'), issue.message)
}
