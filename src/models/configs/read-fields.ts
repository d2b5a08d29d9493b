import type * as z from 'zod'
import { ModelFormatError } from '../../errors/index.ts'
import { describeIssue } from './describe-issue.ts'

/**
 * What a schema makes of parsed JSON.
 *
 * @param file its path, for errors
 * @param expected what the file should hold, for errors
 * @param within path of the JSON in the file, with a dot behind it. @defaultValue it is all of the file
 * @throws ModelFormatError naming the first field that does not fit
 */
export function readFields<Schema extends z.ZodType>(
  schema: Schema,
  json: unknown,
  file: string,
  expected: string,
  within = '',
): z.output<Schema> {
  const result = schema.safeParse(json)
  if (result.success) return result.data
  throw new ModelFormatError(file, expected, `${within}${describeIssue(result.error.issues[0]!, json)}`)
}
