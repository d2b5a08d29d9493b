import { join } from 'node:path'
import type { z } from 'zod'
import type { LinearMode } from '../graph/index.ts'
import { readConfig } from '../models/read-config.ts'
import { readSafetensors, type QuantizationConfig, type WeightIndex } from '../models/index.ts'

/** A model of a pipeline: its own folder with `config.json` and weight files. */
export interface Part<Config> {
  readonly config: Config
  readonly weights: WeightIndex
  /** Path of its configuration, for errors. */
  readonly file: string
}

/** @throws ModelFormatError when a file is missing, damaged or of an unsupported kind */
export async function readPart<Schema extends z.ZodType>(
  folder: string, schema: Schema, expected: string,
): Promise<Part<z.output<Schema>>> {
  const file = join(folder, 'config.json')
  const [config, weights] = await Promise.all([readConfig(file, schema, expected), readSafetensors(folder)])
  return { config, weights, file }
}

/** Whoever quantised the weights wants them to stay small and fast, which takes quantised activations too. */
export function linearMode(config: { readonly quantization_config?: QuantizationConfig | undefined }): LinearMode {
  return config.quantization_config === undefined ? 'float' : { accuracyLevel: 4 }
}
