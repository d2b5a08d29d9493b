import * as z from 'zod'
import { parseModernBertConfig } from '../../models/configs/modernbert-config.ts'
import { readConfig } from '../../models/configs/read-config.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { indexWeights } from '../../models/weights/index-weights.ts'
import { readSpecialNames } from '../tokenizer/special-names.ts'
import { loadTokenizer } from '../tokenizer/tokenizer.ts'

/**
 * What Laya and Julia have in common: `encoder/config.json` of ModernBERT, `model.safetensors`, and the tokenizer in `tokenizer/`.
 *
 * @throws ModelFormatError naming the file that is missing or wrong
 */
export async function readMarkerCheckpoint(files: ModelFiles) {
  const encoder = files.within('encoder')
  const json = await readConfig(encoder, 'config.json', z.unknown(), 'the configuration of an encoder')
  const config = parseModernBertConfig(json, `${encoder.location}/config.json`)
  const weights = await indexWeights(files)
  const folder = files.within('tokenizer')
  const [tokenizer, names] = await Promise.all([
    loadTokenizer(folder, { ordinary: true, vocabulary: config.vocab_size }),
    readSpecialNames(folder),
  ])
  return { config, weights, tokenizer, names }
}
