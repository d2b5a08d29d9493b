import * as z from 'zod'
import { GPT2, writeStages } from '../../models/gguf/pre-tokenizers.ts'

const sequence = z.object({ type: z.literal('Sequence'), pretokenizers: z.array(z.unknown()) })
const cutting = z.object({
  type: z.literal('ByteLevel'),
  use_regex: z.literal(true).default(true),
  add_prefix_space: z.literal(false),
})
const digits = z.object({ type: z.literal('Digits'), individual_digits: z.boolean().default(false) })

/**
 * The stages of a `pre_tokenizer` one by one. The library's own ByteLevel cuts at JavaScript's blanks, which are not those of Unicode,
 * and its Digits at those of ASCII only; its Split reads patterns as the reference does, so they are written as that.
 */
export function listStages(stage: unknown): unknown[] {
  const parts = sequence.safeParse(stage).data?.pretokenizers
  if (parts !== undefined) return parts.flatMap(listStages)
  if (cutting.safeParse(stage).success) return writeStages(GPT2).pre_tokenizer.pretokenizers
  const single = digits.safeParse(stage).data?.individual_digits
  if (single === undefined) return [stage]
  const pattern = { Regex: single ? String.raw`\p{N}` : String.raw`\p{N}+` }
  return [{ type: 'Split', pattern, behavior: 'Isolated', invert: false }]
}
