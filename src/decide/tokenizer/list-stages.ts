import { GPT2, writeStages } from '../../models/gguf/pre-tokenizers.ts'
import type { PreTokenizer } from './pre-tokenizer-schema.ts'

/** Classes of the reference's patterns, which are those of Unicode. */
const WORD = String.raw`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}`
const BLANK = String.raw`\p{White_Space}`
const PUNCTUATION = String.raw`[\p{P}\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]`

/**
 * The stages of a `pre_tokenizer` one by one. The library's own ByteLevel and WhitespaceSplit cut at JavaScript's blanks, which are not those of
 * Unicode, its Digits and Whitespace at digits and letters of ASCII only, and its Punctuation never between two marks; its Split reads
 * patterns as the reference does, so they are written as that.
 */
export function listStages(stage: PreTokenizer): unknown[] {
  switch (stage.type) {
    case 'Sequence':
      return stage.pretokenizers.flatMap(listStages)
    case 'ByteLevel':
      return stage.use_regex ? writeStages(GPT2).pre_tokenizer.pretokenizers : [stage]
    case 'Digits':
      return [isolate(String.raw`\p{N}${stage.individual_digits ? '' : '+'}`)]
    case 'Punctuation':
      return [isolate(`${PUNCTUATION}${stage.behavior === 'Isolated' ? '' : '+'}`)]
    case 'Whitespace':
      return [keep(`[${WORD}]+|[^${WORD}${BLANK}]+`)]
    case 'WhitespaceSplit':
      return [keep(`[^${BLANK}]+`)]
    case 'Split':
      // There is nothing that it could cut: see `mergesBlanks`.
      return stage.behavior === 'MergedWithPrevious' ? [] : [stage]
  }
}

function isolate(pattern: string) {
  return { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false }
}

/** Leaves out what lies between the words that match. */
function keep(pattern: string) {
  return { type: 'Split', pattern: { Regex: pattern }, behavior: 'Removed', invert: true }
}
