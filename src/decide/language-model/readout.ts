import type { Tensor } from '../../backends/backend.ts'
import type { LanguageModelHead } from '../../graph/index.ts'
import type { Question } from '../../schemas/index.ts'
import { int64 } from '../int64-tensor.ts'
import type { AnswerSymbols } from './answer-symbols.ts'

/** What a pass said of one question. */
export interface ReadAnswer {
  /** [K], of its options in order. noul: yes, no. */
  readonly logits: Float64Array
  /** Probability that the model gives the symbols of the options together, of all that it could write. */
  readonly mass?: number
}

/** Turns what a branch pass puts out into one logit an option. */
export interface Readout {
  /** Which head the branch graph is built with. */
  readonly head: LanguageModelHead
  /** Constant feeds of that head. */
  readonly feeds: Readonly<Record<string, Tensor>>
  /** Reads a question, whose row of the head's outputs is `row`. */
  read(outputs: Readonly<Record<string, Tensor>>, row: number, question: Question): ReadAnswer
}

function readLogits(outputs: Readonly<Record<string, Tensor>>): { data: Float32Array; width: number } {
  const tensor = outputs['logits']
  if (!(tensor?.data instanceof Float32Array))
    throw new TypeError('expected the float32 output logits of the branch graph')
  return { data: tensor.data, width: tensor.dims[1] ?? 0 }
}

/** Next-token logits of the symbols of a question's options. */
export function createSymbolReadout(symbols: AnswerSymbols): Readout {
  const { ids } = symbols
  return {
    head: 'symbols',
    feeds: { symbol_ids: int64(ids, [ids.length]) },
    read(outputs, row, question) {
      const { data, width } = readLogits(outputs)
      const logits = Float64Array.from(symbols.of(question), (symbol) => data[row * width + symbols.column(symbol)]!)
      return { logits }
    },
  }
}

/** The same from the logits of the whole vocabulary, with the mass on the symbols. */
export function createVocabularyReadout(symbols: AnswerSymbols): Readout {
  return {
    head: 'vocabulary',
    feeds: {},
    read(outputs, row, question) {
      const { data, width } = readLogits(outputs)
      const all = data.subarray(row * width, (row + 1) * width)
      const logits = Float64Array.from(symbols.of(question), (symbol) => all[symbols.ids[symbols.column(symbol)]!]!)
      return { logits, mass: sumOfPowers(logits, all) / sumOfPowers(all, all) }
    },
  }
}

/** Powers of e of the logits, less the largest of all. */
function sumOfPowers(logits: ArrayLike<number>, all: Float32Array): number {
  let largest = Number.NEGATIVE_INFINITY
  for (const logit of all) if (logit > largest) largest = logit
  let sum = 0
  for (let i = 0; i < logits.length; i++) sum += Math.exp(logits[i]! - largest)
  return sum
}
