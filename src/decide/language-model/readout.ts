import type { Tensor } from '../../backends/backend.ts'
import { ModelFormatError } from '../../errors/index.ts'
import type { Question } from '../../schemas/index.ts'
import type { Tokenizer } from '../tokenizer/tokenizer.ts'
import { LETTERS, optionSymbol } from './chat-template.ts'

/** Turns what a branch pass puts out into one logit an option. */
export interface Readout {
  /** Which head the branch graph is built with. */
  readonly head: 'symbols' | 'pointer'
  /** Constant feeds of that head. */
  readonly feeds: Readonly<Record<string, Tensor>>
  /** Logits of a question's options, in order; its rows start at `row` of the head's outputs. noul: yes, no. */
  read(outputs: Readonly<Record<string, Tensor>>, row: number, question: Question): Float64Array
}

export function optionCount(question: Question): number {
  if (question.type === 'noul') return 2
  return question.type === 'choice' ? Object.keys(question.criteria).length : question.criteria.length
}

function matrix(outputs: Readonly<Record<string, Tensor>>, name: string): { data: Float32Array; width: number } {
  const tensor = outputs[name]
  if (!(tensor?.data instanceof Float32Array))
    throw new TypeError(`expected the float32 output ${name} of the branch graph`)
  return { data: tensor.data, width: tensor.dims[1] ?? 0 }
}

/** Scaled dot product of the decide row's query with each option's key (the embedded model's readout). */
export function createPointerReadout(): Readout {
  return {
    head: 'pointer',
    feeds: {},
    read(outputs, row, question) {
      const queries = matrix(outputs, 'pointer_query')
      const keys = matrix(outputs, 'pointer_key')
      const { width } = queries
      return Float64Array.from({ length: optionCount(question) }, (_, option) => {
        let sum = 0
        for (let i = 0; i < width; i++) {
          sum += (queries.data[row * width + i] as number) * (keys.data[(row + 1 + option) * width + i] as number)
        }
        return sum / Math.sqrt(width)
      })
    },
  }
}

const YES_NO = ['yes', 'no']
const OPTIONS = Array.from({ length: LETTERS }, (_, index) => optionSymbol('choice', index))
const DIGITS = Array.from({ length: 10 }, (_, index) => optionSymbol('score', index))

/**
 * Next-token logits of answer symbols: yes/no, a letter, or a digit. Refuses a tokenizer in which the symbols are not
 * single, distinct tokens, because then their logits would not be comparable.
 */
export function createSymbolReadout(tokenizer: Tokenizer, file: string): Readout {
  const symbols = [...YES_NO, ...OPTIONS, ...DIGITS]
  const ids = symbols.map((symbol) => tokenizer.single(symbol))
  const broken = symbols.find((_, index) => ids[index] === undefined || ids.indexOf(ids[index]) !== index)
  if (broken !== undefined) {
    throw new ModelFormatError(
      file,
      'answer symbols (yes, no, A–Z, 0–9) that are single, distinct tokens',
      `"${broken}", which is not`,
    )
  }
  const first = { noul: 0, choice: YES_NO.length, score: YES_NO.length + OPTIONS.length }
  return {
    head: 'symbols',
    feeds: { symbol_ids: { type: 'int64', dims: [ids.length], data: BigInt64Array.from(ids as number[], BigInt) } },
    read(outputs, row, question) {
      const { data, width } = matrix(outputs, 'logits')
      const start = row * width + first[question.type]
      return Float64Array.from(data.subarray(start, start + optionCount(question)))
    },
  }
}
