import { ModelFormatError } from '../../errors/index.ts'
import type { Question } from '../../schemas/index.ts'
import { optionCount } from '../option-count.ts'

/** What a language model answers with: one token for each option of a question. */
export interface AnswerSymbols {
  /** Ids of the tokens of all symbols. */
  readonly ids: readonly number[]
  /** Options of a choice that there are symbols for. */
  readonly mostOptions: number
  /** The symbols of a question's options, in order (noul: of yes, then of no). */
  of(question: Question): readonly string[]
  /** What the answer to a question begins with before its symbol: a blank that is a token of its own, or nothing. */
  lead(question: Question): readonly number[]
  /** Where in `ids` the token of a symbol is. */
  column(symbol: string): number
}

const YES_NO = ['yes', 'no']
const DIGITS = Array.from({ length: 10 }, (_, index) => String(index))
const LETTERS = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
const PAIRS = LETTERS.flatMap((first) => LETTERS.map((second) => first + second))
/** More are not asked for by any service. */
const MOST_PAIRS = 255

/** Ids of an answer as it follows the prompt. */
type Spell = (answer: string) => readonly number[]

/**
 * Symbols of template `chat-1`: yes and no, the digits of levels, and for options the letters A to Z; where a choice has more than
 * these, pairs of capital letters from AA to ZZ, those that the tokenizer has as one token. Llama 2 has no digits with the blank
 * before them as one token: of these the blank is read first, and the digit is what follows.
 *
 * @param file path of the tokenizer, for errors
 * @throws ModelFormatError for a tokenizer in which yes, no, letters or digits are not single, distinct tokens: their logits would not
 * be comparable
 */
export function readChatSymbols({ encode }: { readonly encode: Spell }, file: string): AnswerSymbols {
  const blank = blankBeforeDigits(encode)
  const spell: Spell = (symbol) => encode(symbol).slice(DIGITS.includes(symbol) ? blank.length : 0)
  const required = requireSymbols(spell, file, [...YES_NO, ...LETTERS, ...DIGITS], 'yes, no, A–Z, 0–9')
  const pairs = new Map<string, number>()
  const taken = new Set(required.values())
  for (const pair of PAIRS) {
    const id = single(spell(pair))
    if (id === undefined || taken.has(id) || pairs.size === MOST_PAIRS) continue
    taken.add(id)
    pairs.set(pair, id)
  }
  // Fewer than the letters are of no use.
  const more = pairs.size > LETTERS.length ? [...pairs.keys()] : []
  return {
    ...symbolTable(new Map([...required, ...pairs]), Math.max(LETTERS.length, more.length)),
    lead: ({ type }) => (type === 'score' ? blank : []),
    of(question) {
      if (question.type === 'noul') return YES_NO
      const options = optionCount(question)
      if (question.type === 'score') return DIGITS.slice(0, options)
      return (options > LETTERS.length ? more : LETTERS).slice(0, options)
    },
  }
}

/** Letters for the options of every kind of question, of which there are 26 at most. Throws as `readChatSymbols` does. */
export function readLetters({ encode }: { readonly encode: Spell }, file: string): AnswerSymbols {
  const ids = requireSymbols(encode, file, LETTERS, 'A–Z')
  return {
    ...symbolTable(ids, LETTERS.length),
    lead: () => [],
    of: (question) => LETTERS.slice(0, optionCount(question)),
  }
}

/** The token that stands before each digit of an answer, where every digit is two tokens and the first is always the same. */
function blankBeforeDigits(encode: Spell): readonly number[] {
  const spelt = DIGITS.map((digit) => encode(digit))
  const [blank] = spelt[0]!
  return spelt.every((ids) => ids.length === 2 && ids[0] === blank) ? [blank!] : []
}

function single(ids: readonly number[]): number | undefined {
  return ids.length === 1 ? ids[0] : undefined
}

/** Token ids by symbol. */
function requireSymbols(
  spell: Spell,
  file: string,
  symbols: readonly string[],
  described: string,
): Map<string, number> {
  const ids = new Map<string, number>()
  for (const symbol of symbols) {
    const id = single(spell(symbol))
    if (id === undefined || [...ids.values()].includes(id)) {
      const expected = `answer symbols (${described}) that are single, distinct tokens`
      throw new ModelFormatError(file, expected, `"${symbol}", which is not`)
    }
    ids.set(symbol, id)
  }
  return ids
}

function symbolTable(
  ids: ReadonlyMap<string, number>,
  mostOptions: number,
): Pick<AnswerSymbols, 'ids' | 'mostOptions' | 'column'> {
  const columns = new Map([...ids.keys()].map((symbol, column) => [symbol, column]))
  return { ids: [...ids.values()], mostOptions, column: (symbol) => columns.get(symbol)! }
}
