import type * as z from 'zod'
import { ModelFormatError } from '../errors/index.ts'
import { readOptionalConfig } from './configs/read-config.ts'
import { explainMissing } from './describe-others.ts'
import type { ModelFiles } from './files/model-files.ts'

const NAME = 'tokenizer.json'
const REMEDY =
  'no such file; AutoTokenizer.from_pretrained(…).save_pretrained(…) of transformers makes it of vocab.txt, vocab.json or tokenizer.model'

/**
 * Reads `tokenizer.json`. Older checkpoints have their vocabulary alone, which does not say how a text is cut.
 *
 * @param expected what it should hold, for errors
 * @throws ModelFormatError when it is missing, with what makes or fetches it, isn't JSON or doesn't fit the schema
 */
export async function readTokenizerFile<Schema extends z.ZodType>(
  files: ModelFiles,
  schema: Schema,
  expected: string,
): Promise<z.output<Schema>> {
  const json = await readOptionalConfig(files, NAME, schema, expected)
  if (json !== undefined) return json
  throw new ModelFormatError(`${files.location}/${NAME}`, expected, (await explainMissing(files)) ?? REMEDY)
}
