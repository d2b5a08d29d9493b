import type * as z from 'zod'
import { ModelFormatError } from '../../errors/index.ts'
import type { ModelFiles } from '../files/model-files.ts'
import { describeNotJson } from './describe-not-json.ts'
import { parseJson } from './parse-json.ts'
import { readFields } from './read-fields.ts'

/**
 * Reads a JSON file of a checkpoint.
 *
 * @param expected what the file should hold, for errors
 * @throws ModelFormatError when it is missing, isn't JSON or doesn't fit the schema
 */
export async function readConfig<Schema extends z.ZodType>(
  files: ModelFiles,
  name: string,
  schema: Schema,
  expected: string,
): Promise<z.output<Schema>> {
  const config = await readOptionalConfig(files, name, schema, expected)
  if (config === undefined) throw new ModelFormatError(`${files.location}/${name}`, expected, 'no such file')
  return config
}

/** The same, and undefined where there is no such file. */
export async function readOptionalConfig<Schema extends z.ZodType>(
  files: ModelFiles,
  name: string,
  schema: Schema,
  expected: string,
): Promise<z.output<Schema> | undefined> {
  const file = `${files.location}/${name}`
  const text = await files.readText(name)
  if (text === undefined) return undefined
  let json: unknown
  try {
    json = parseJson(text)
  } catch (cause) {
    throw new ModelFormatError(file, expected, describeNotJson(text), { cause })
  }
  return readFields(schema, json, file, expected)
}
