import * as z from 'zod'
import { ModelFormatError } from '../../errors/index.ts'
import { mergesBlanks, preTokenizerSchema } from './pre-tokenizer-schema.ts'

/** No vocabulary is near this; larger ids are not numbers of rows. */
const MOST_IDS = 2 ** 24

// A longer pattern could lie across two pieces.
const replace = z.looseObject({
  type: z.literal('Replace'),
  pattern: z.object({ String: z.string().length(1) }),
  // The library takes what follows a dollar sign for what was found.
  content: z.string().regex(/^[^$]*$/),
})

/** The reference lowers each letter by itself; in JavaScript a capital sigma that ends a word becomes another letter. */
const lowercase = z.looseObject({ type: z.literal('Lowercase') }).transform((lowers) => ({
  type: 'Sequence',
  normalizers: [{ type: 'Replace', pattern: { String: 'Σ' }, content: 'σ' }, lowers],
}))

/** Normalizers that treat every piece of a text alike, wherever it stands; see `PIECE` in tokenizer.ts. */
const normalizer: z.ZodType = z.lazy(() =>
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.enum(['NFC', 'NFD', 'NFKC', 'NFKD']) }),
    lowercase,
    replace,
    z.looseObject({ type: z.literal('Sequence'), normalizers: z.array(normalizer).max(100) }),
  ]),
)

const sequenceSchema = z.looseObject({ type: z.literal('Sequence'), normalizers: z.array(z.unknown()) })

/** SentencePiece's blanks as Llama 2 has them: one before the text, and one for each that is in it. */
const prefixed = z.looseObject({
  type: z.literal('Sequence'),
  normalizers: z.tuple([z.looseObject({ type: z.literal('Prepend'), prepend: z.string().length(1) })], replace),
})

/** Large parts are only told apart here: they are checked entry by entry as the encoder is made. */
export const tokenizerFileSchema = z
  .looseObject({
    added_tokens: z
      .array(
        z.looseObject({ id: z.number().int().nonnegative().max(MOST_IDS), content: z.string().min(1).max(10_000) }),
      )
      .default([]),
    normalizer: z.union([normalizer, prefixed]).nullish(),
    pre_tokenizer: preTokenizerSchema.nullish(),
    model: z.object({
      type: z.literal('BPE'),
      vocab: z.custom<Record<string, number>>(isObject, 'expected an object of tokens'),
      // Older files join the two with a space.
      merges: z.custom<(string | [string, string])[]>(Array.isArray, 'expected a list'),
      dropout: z.null().optional(),
      continuing_subword_prefix: z.literal('').nullish(),
      end_of_word_suffix: z.literal('').nullish(),
      ignore_merges: z.boolean().nullish(),
      byte_fallback: z.boolean().nullish(),
      unk_token: z.string().nullish(),
      fuse_unk: z.boolean().nullish(),
    }),
  })
  .refine(({ normalizer: changes, pre_tokenizer: cuts }) => !cuts || !mergesBlanks(cuts) || leavesNoBlanks(changes), {
    path: ['pre_tokenizer', 'behavior'],
    error: 'expected MergedWithPrevious beside a normalizer that leaves no blanks',
  })

export type TokenizerFile = z.infer<typeof tokenizerFileSchema>

/** What stands before a text, and the file without it. @throws ModelFormatError where words begin with something besides */
export function takePrefix(
  file: TokenizerFile,
  path: string,
): { readonly prefix: string; readonly file: TokenizerFile } {
  const { data } = prefixed.safeParse(file.normalizer)
  if (data === undefined) return { prefix: '', file }
  if (file.pre_tokenizer) throw new ModelFormatError(path, 'no pre_tokenizer beside Prepend', file.pre_tokenizer.type)
  const [{ prepend: prefix }, ...normalizers] = data.normalizers
  return { prefix, file: { ...file, normalizer: { type: 'Sequence', normalizers } } }
}

function leavesNoBlanks(changes: unknown): boolean {
  const sequence = sequenceSchema.safeParse(changes).data
  // What stands last is given all of the text.
  if (sequence !== undefined) return leavesNoBlanks(sequence.normalizers.at(-1))
  const { data } = replace.safeParse(changes)
  return data?.pattern.String === ' ' && !data.content.includes(' ')
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * @param vocabulary rows that the model's embeddings have; ids of ordinary tokens are below it
 * @throws ModelFormatError naming the entry that is none
 */
export function checkEntries({ model }: TokenizerFile, file: string, vocabulary = MOST_IDS): void {
  for (const token in model.vocab) {
    const id: unknown = model.vocab[token]
    if (Number.isSafeInteger(id) && (id as number) >= 0 && (id as number) < vocabulary) continue
    const expected = `ids below ${vocabulary}, as many as the model has embeddings, in model.vocab`
    throw new ModelFormatError(file, expected, `${show(id)} for ${show(token)}`)
  }
  for (const [index, rule] of model.merges.entries()) {
    const pair: unknown = typeof rule === 'string' ? rule.split(' ') : rule
    if (Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string')) continue
    throw new ModelFormatError(file, `two tokens in model.merges.${index}`, show(rule))
  }
}

function show(value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? JSON.stringify(value) : typeof value
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
