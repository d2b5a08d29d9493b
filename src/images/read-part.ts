import * as z from 'zod'
import { refuseForeignQuantization } from '../models/configs/foreign-quantization.ts'
import { readConfig, readOptionalConfig } from '../models/configs/read-config.ts'
import type { ModelFiles } from '../models/files/model-files.ts'
import { indexWeights } from '../models/weights/index-weights.ts'
import type { WeightIndex } from '../models/weights/weight-index.ts'

/** A model of a pipeline: its own folder with `config.json` and weight files. */
export interface Part<Config> {
  readonly config: Config
  readonly weights: WeightIndex
  /** See `UnreadTensors`. */
  readonly unread: readonly RegExp[]
  /** Path of its configuration, for errors. */
  readonly file: string
}

/** @throws ModelFormatError when a file is missing, damaged or of an unsupported kind */
export async function readPart<Schema extends z.ZodType>(
  files: ModelFiles,
  schema: Schema,
  expected: string,
  unread: readonly RegExp[] = [],
): Promise<Part<z.output<Schema>>> {
  const file = `${files.location}/config.json`
  refuseForeignQuantization(await readOptionalConfig(files, 'config.json', z.unknown(), expected), file)
  // One after the other, so that a folder that is not there is always refused for the same file.
  const config = await readConfig(files, 'config.json', schema, expected)
  const weights = await indexWeights(files)
  return { config, weights, unread, file }
}
