import * as z from 'zod'
import { readOptionalConfig } from '../../models/configs/read-config.ts'
import { tokenName } from '../../models/configs/token-name.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import type { Tokenizer } from './tokenizer.ts'

/** What an encoder's tokenizer calls the tokens that texts are framed with. */
export interface SpecialNames {
  /** Before a text. */
  readonly start: string
  /** Behind each part of a text. */
  readonly end: string
  /** What heads read the rows of. */
  readonly marker: string
}

export const BERT_NAMES: SpecialNames = { start: '[CLS]', end: '[SEP]', marker: '[MASK]' }

const token = tokenName.nullish()
const schema = z.looseObject({ cls_token: token, sep_token: token, mask_token: token })

/** The names of `tokenizer_config.json`, such as mmBERT's `<bos>`, `<eos>` and `<mask>`; BERT's where it says none. */
export async function readSpecialNames(files: ModelFiles): Promise<SpecialNames> {
  const config = await readOptionalConfig(files, 'tokenizer_config.json', schema, 'a tokenizer_config.json')
  return {
    start: config?.cls_token ?? BERT_NAMES.start,
    end: config?.sep_token ?? BERT_NAMES.end,
    marker: config?.mask_token ?? BERT_NAMES.marker,
  }
}

export function specialIds(tokenizer: Tokenizer, { start, end, marker }: SpecialNames) {
  return {
    start: tokenizer.structural(start),
    end: tokenizer.structural(end),
    marker: tokenizer.structural(marker),
  }
}
