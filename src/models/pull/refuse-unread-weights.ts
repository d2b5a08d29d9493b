import { refuseForeignQuantization } from '../configs/foreign-quantization.ts'
import { tryParseJson } from '../configs/parse-json.ts'
import { readFp8Method } from '../fp8/fp8-method.ts'
import { readInt4Method } from '../int4/int4-method.ts'
import { CONTROLNET, PIPELINE_PARTS } from '../pipeline-parts.ts'

const CONFIG = 'config.json'
const CONFIGS = [CONFIG, ...[...PIPELINE_PARTS, CONTROLNET].map(({ folder }) => `${folder}/${CONFIG}`)]

/** Whether a file is the `config.json` of weights that are downloaded too: those of a model, or of a part of a pipeline. */
export function describesWeights(path: string, without: readonly string[]): boolean {
  return CONFIGS.includes(path) && !without.includes(path.split('/')[0]!)
}

/**
 * Refuses weights by what their `config.json` says of how they are stored, as opening them would.
 *
 * @param file its path, for errors
 * @param isPart whether the weights are those of a part of a pipeline
 * @throws ModelFormatError naming a quantisation that is not read
 */
export function refuseUnreadWeights(text: string, file: string, isPart: boolean): void {
  // What is no JSON says nothing of weights, and is refused by what reads it as a configuration.
  const config = tryParseJson(text)
  if (readFp8Method(config) !== undefined) return
  if (!isPart && readInt4Method(config, file) !== undefined) return
  refuseForeignQuantization(config, file)
}
