import type { Question } from '../../schemas/index.ts'
import { spacedText } from '../spaced-json.ts'
import { specialIds, type SpecialNames } from '../tokenizer/special-names.ts'
import type { Tokenizer } from '../tokenizer/tokenizer.ts'
import { encodeWithin } from './encode-within.ts'
import type { EncoderFormat } from './encoder-format.ts'

/** Where each kind of question is in tables. */
export const TYPE_IDS = { choice: 0, score: 1, noul: 2 } as const
/** Tokens of one option, and those that are kept for the instructions before options are cut. */
const [LONGEST_OPTION, SHORTEST_HEAD] = [48, 16]
/** Options are never cut below this. */
const SHORTEST_OPTION = 4

export interface MarkerOptions {
  readonly names: SpecialNames
  /** Tokens of a whole text. */
  readonly positions: number
  /** Tokens of instructions and options together. */
  readonly most: number
  /** Tokens that instructions may have whatever the options take. */
  readonly leastInstructions: number
  /** Of a noul false stands first. */
  optionTexts(question: Question): string[]
}

/**
 * `[CLS] type question: … [SEP] [MASK] option … [SEP] state [SEP]`, and the logits of the head of Laya at the masks. What the authors' own
 * code would cut is refused.
 */
export function markerFormat(tokenizer: Tokenizer, options: MarkerOptions): EncoderFormat {
  const { names, positions, most, leastInstructions, optionTexts } = options
  const { start, end, marker } = specialIds(tokenizer, names)
  // A marker's name in a text is taken out, as in training.
  const encode = (text: string, tokens?: number) => tokenizer.encode(text.replaceAll(names.marker, ' '), tokens)
  return {
    positions,
    state: (state) => ({ lead: [], ids: encode(spacedText(state)) }),
    frame(question, refuse) {
      const read = (text: string) => encodeWithin(encode, text, positions, refuse)
      const texts = optionTexts(question).map((text) => [marker, ...read(` ${text}`)])
      const sizes = texts.map(({ length }) => length)
      const longest = Math.max(...sizes) - 1
      if (longest > LONGEST_OPTION) refuse(`has an option of ${longest} tokens, and this model reads ${LONGEST_OPTION}`)
      const taken = sizes.reduce((sum, length) => sum + length, 0)
      // Where options leave too little, each is cut to its share: those that are shorter stay whole.
      const share = Math.max(SHORTEST_OPTION, Math.floor((most - SHORTEST_HEAD) / texts.length))
      if (most - taken < SHORTEST_HEAD && longest + 1 > share) {
        refuse(`has options of ${taken} tokens in all, and this model has room for ${most - SHORTEST_HEAD}`)
      }
      const room = Math.max(leastInstructions, most - taken)
      const head = read(`${question.type} question: ${spacedText(question.instructions ?? '')}`)
      if (head.length > room) {
        refuse(`has instructions of ${head.length} tokens, and this model has room for ${room} beside these options`)
      }
      const before = [start, ...head, end]
      const rows = texts.map((text) => {
        const row = before.length
        before.push(...text)
        return row
      })
      before.push(end)
      const type = TYPE_IDS[question.type]
      const inOrder = (logits: Float32Array) => (question.type === 'noul' ? logits.toReversed() : logits)
      return {
        prompts: [{ before, after: [end], rows, type }],
        readOut: ([logits]) => Float64Array.from(inOrder(logits!)),
      }
    },
  }
}

export function isGiven(meaning: unknown): boolean {
  return meaning !== null && meaning !== undefined && meaning !== ''
}
