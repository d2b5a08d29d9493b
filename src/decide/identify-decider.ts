import { z } from 'zod'
import type { ModelFiles } from '../models/model-files.ts'
import { quantizationConfigSchema } from '../models/quantization-config.ts'
import { readConfig } from '../models/read-config.ts'
import { readManifest } from './manifest.ts'
import type { OwnCalibration } from './own-calibration.ts'

const configSchema = z.looseObject({ quantization_config: quantizationConfigSchema.nullish() })

/** What tells a decision model from others whose probabilities differ: a calibration of one is none of another's. */
export async function identifyDecider(files: ModelFiles): Promise<OwnCalibration['model']> {
  const [{ name, version, template }, { quantization_config: quantization }] = await Promise.all([
    readManifest(files, 1),
    readConfig(files, 'config.json', configSchema, 'the configuration of a model'),
  ])
  const { bits, block_size: block } = quantization ?? {}
  const weights = bits === undefined ? 'float' : `int${bits} in ${block === 'row' ? 'rows' : `blocks of ${block}`}`
  return { id: name, version, weights, template }
}
