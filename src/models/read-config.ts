import { readFile } from 'node:fs/promises'
import type { z } from 'zod'
import { ModelFormatError } from '../errors/index.ts'

/**
 * Reads a JSON file of a checkpoint.
 *
 * @param expected what the file should hold, for errors
 * @throws ModelFormatError when it is missing, isn't JSON or doesn't fit the schema
 */
export async function readConfig<Schema extends z.ZodType>(
  file: string, schema: Schema, expected: string,
): Promise<z.output<Schema>> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new ModelFormatError(file, expected, String(cause), { cause })
  })
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new ModelFormatError(file, expected, 'something that is not JSON', { cause })
  }
  const result = schema.safeParse(json)
  if (result.success) return result.data
  const issue = result.error.issues[0]!
  throw new ModelFormatError(file, expected, `${issue.path.join('.')}: ${issue.message}`)
}
