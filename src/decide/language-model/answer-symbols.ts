import { ModelFormatError } from '../../errors/index.ts'
import type { Question } from '../../schemas/index.ts'
import { optionCount } from '../option-count.ts'
import type { Tokenizer } from '../tokenizer/tokenizer.ts'

/** What a language model answers with: one token for each option of a question. */
export interface AnswerSymbols {
  /** Ids of the tokens of all symbols. */
  readonly ids: readonly number[]
  /** Options of a choice that there are symbols for. */
  readonly mostOptions: number
  /** The symbols of a question's options, in order (noul: of yes, then of no). */
  of(question: Question): readonly string[]
  /** Where in `ids` the token of a symbol is. */
  column(symbol: string): number
}

const YES_NO = ['yes', 'no']
const DIGITS = Array.from({ length: 10 }, (_, index) => String(index))
const LETTERS = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
const PAIRS = LETTERS.flatMap((first) => LETTERS.map((second) => first + second))
/** More are not asked for by any service. */
const MOST_PAIRS = 255

/**
 * Symbols of template `chat-1`: yes and no, the digits of levels, and for options the letters A to Z; where a choice has more than
 * these, pairs of capital letters from AA to ZZ, those that the tokenizer has as one token.
 *
 * @param file path of the tokenizer, for errors
 * @throws ModelFormatError for a tokenizer in which yes, no, letters or digits are not single, distinct tokens: their logits would not
 * be comparable
 */
export function readChatSymbols(tokenizer: Pick<Tokenizer, 'single'>, file: string): AnswerSymbols {
  const required = requireSymbols(tokenizer, file, [...YES_NO, ...LETTERS, ...DIGITS], 'yes, no, A–Z, 0–9')
  const pairs = new Map<string, number>()
  const taken = new Set(required.values())
  for (const pair of PAIRS) {
    const id = tokenizer.single(pair)
    if (id === undefined || taken.has(id) || pairs.size === MOST_PAIRS) continue
    taken.add(id)
    pairs.set(pair, id)
  }
  // Fewer than the letters are of no use.
  const more = pairs.size > LETTERS.length ? [...pairs.keys()] : []
  return symbolTable(new Map([...required, ...pairs]), Math.max(LETTERS.length, more.length), (question) => {
    if (question.type === 'noul') return YES_NO
    const options = optionCount(question)
    if (question.type === 'score') return DIGITS.slice(0, options)
    return (options > LETTERS.length ? more : LETTERS).slice(0, options)
  })
}

/** Letters for the options of every kind of question, of which there are 26 at most. Throws as `readChatSymbols` does. */
export function readLetters(tokenizer: Pick<Tokenizer, 'single'>, file: string): AnswerSymbols {
  const ids = requireSymbols(tokenizer, file, LETTERS, 'A–Z')
  return symbolTable(ids, LETTERS.length, (question) => LETTERS.slice(0, optionCount(question)))
}

/** Token ids by symbol. */
function requireSymbols(
  tokenizer: Pick<Tokenizer, 'single'>,
  file: string,
  symbols: readonly string[],
  described: string,
): Map<string, number> {
  const ids = new Map<string, number>()
  for (const symbol of symbols) {
    const id = tokenizer.single(symbol)
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
  of: (question: Question) => readonly string[],
): AnswerSymbols {
  const columns = new Map([...ids.keys()].map((symbol, column) => [symbol, column]))
  return { ids: [...ids.values()], mostOptions, of, column: (symbol) => columns.get(symbol)! }
}
