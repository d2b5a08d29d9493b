import * as z from 'zod'
import { ModelFormatError } from '../../errors/index.ts'
import type { SpecialNames } from '../tokenizer/special-names.ts'

/** Names of the tokens that stand around the two texts of a pair. */
export interface PairFrame {
  readonly before: readonly string[]
  readonly between: readonly string[]
  readonly after: readonly string[]
  /** Whether the second text and what is behind it are of the first segment too. @defaultValue false */
  readonly oneSegment?: boolean
}

const named = z.object({ SpecialToken: z.object({ id: z.string() }) }).transform(({ SpecialToken: { id } }) => ({ id }))
const text = z.object({ Sequence: z.object({ id: z.enum(['A', 'B']) }) }).transform(({ Sequence }) => Sequence.id)
const templateSchema = z.looseObject({ type: z.literal('TemplateProcessing'), pair: z.array(z.union([named, text])) })
const framed = z.tuple([z.string()], z.unknown())
const robertaSchema = z.looseObject({ type: z.literal('RobertaProcessing'), cls: framed, sep: framed })
const sequenceSchema = z.looseObject({ type: z.literal('Sequence'), processors: z.array(z.unknown()) })

/** BERT's, of one text behind the other. */
export function bertPair({ start, end }: SpecialNames): PairFrame {
  return { before: [start], between: [end], after: [end] }
}

/**
 * What the `post_processor` of a `tokenizer.json` puts around a pair; BERT's where it has nothing to say of that.
 *
 * @param path of the file, for errors
 * @throws ModelFormatError for one that shows the second text first, or a text twice
 */
export function readPairFrame(processor: unknown, names: SpecialNames, path: string): PairFrame {
  const steps = sequenceSchema.safeParse(processor).data?.processors ?? [processor]
  for (const step of steps) {
    const roberta = robertaSchema.safeParse(step).data
    if (roberta !== undefined) {
      const [start, end] = [roberta.cls[0], roberta.sep[0]]
      return { before: [start], between: [end, end], after: [end] }
    }
    const pair = templateSchema.safeParse(step).data?.pair ?? []
    // Files without any of these tokens leave it to those who ask.
    if (pair.some((piece) => typeof piece === 'object')) return cutPair(pair, path)
  }
  return bertPair(names)
}

function cutPair(pair: readonly ('A' | 'B' | { readonly id: string })[], path: string): PairFrame {
  const texts = pair.filter((piece) => typeof piece === 'string')
  const [first, second] = [pair.indexOf('A'), pair.indexOf('B')]
  const tokens = (from: number, to?: number) =>
    pair.slice(from, to).flatMap((piece) => (typeof piece === 'string' ? [] : piece.id))
  if (texts.join('') === 'AB' && first > 0) {
    return { before: tokens(0, first), between: tokens(first, second), after: tokens(second) }
  }
  const expected = 'a post_processor whose pair is a token, the first text A, then the second text B'
  throw new ModelFormatError(path, expected, texts.join(', ').slice(0, 100) || 'no texts')
}
