import * as z from 'zod'

/**
 * SentencePiece's blanks: every word behind one begins with it. So does every piece of text between added tokens (`always`), only that which
 * a text begins with (`first`), or none (`never`). Without `split` nothing is cut, as in Mistral.
 */
const metaspace = z.looseObject({
  type: z.literal('Metaspace'),
  replacement: z.string().length(1),
  prepend_scheme: z.enum(['always', 'first', 'never']),
  split: z.boolean().default(true),
})

const byteLevel = z.looseObject({
  type: z.literal('ByteLevel'),
  add_prefix_space: z.literal(false),
  use_regex: z.boolean().default(true),
})

const digits = z.looseObject({ type: z.literal('Digits'), individual_digits: z.boolean().default(false) })

const punctuation = z.looseObject({
  type: z.literal('Punctuation'),
  behavior: z.enum(['Isolated', 'Contiguous']).default('Isolated'),
})

/** The library takes every behaviour but `Removed` for `Isolated`, and with `invert` leaves out what lies between the matches. */
const split = z
  .looseObject({
    type: z.literal('Split'),
    pattern: z.union([z.object({ String: z.string().min(1) }), z.object({ Regex: z.string() })]),
    behavior: z.enum(['Isolated', 'Removed', 'MergedWithPrevious']),
    invert: z.boolean(),
  })
  .refine(({ behavior, invert }) => invert === (behavior === 'Removed'), {
    path: ['invert'],
    error: 'expected true beside Removed, false beside all else',
  })
  .refine(
    ({ behavior, pattern }) => behavior !== 'MergedWithPrevious' || ('String' in pattern && pattern.String === ' '),
    {
      path: ['behavior'],
      error: 'expected MergedWithPrevious beside a blank alone',
    },
  )

const whitespace = z.looseObject({ type: z.enum(['Whitespace', 'WhitespaceSplit']) })

const sequence = z.looseObject({
  type: z.literal('Sequence'),
  get pretokenizers(): z.ZodArray<z.ZodType<PreTokenizer>> {
    return z.array(stage).max(100)
  },
})

const stage = z.discriminatedUnion('type', [byteLevel, digits, punctuation, split, whitespace, sequence])

export type Metaspace = z.infer<typeof metaspace>

export const preTokenizerSchema = z.discriminatedUnion('type', [metaspace, stage])

type Simple = typeof byteLevel | typeof digits | typeof punctuation | typeof split | typeof whitespace

/** A stage that cuts text into words. */
export type PreTokenizer = z.infer<Simple> | { type: 'Sequence'; pretokenizers: PreTokenizer[] }

/** Whether it joins a blank to what stands before it, which is nothing where there are no blanks, as in Gemma. */
export function mergesBlanks(stage: PreTokenizer | Metaspace): boolean {
  if (stage.type === 'Sequence') return stage.pretokenizers.some(mergesBlanks)
  return stage.type === 'Split' && stage.behavior === 'MergedWithPrevious'
}
