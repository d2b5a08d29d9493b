import type { Tensor } from '../../backends/backend.ts'
import type { Question } from '../../schemas/index.ts'
import { optionCount } from '../option-count.ts'
import type { AnswerSymbols } from './answer-symbols.ts'

/** Turns what a branch pass puts out into one logit an option. */
export interface Readout {
  /** Which head the branch graph is built with. */
  readonly head: 'symbols' | 'pointer'
  /** Constant feeds of that head. */
  readonly feeds: Readonly<Record<string, Tensor>>
  /** Logits of a question's options, in order; its rows start at `row` of the head's outputs. noul: yes, no. */
  read(outputs: Readonly<Record<string, Tensor>>, row: number, question: Question): Float64Array
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

/** Next-token logits of the symbols of a question's options. */
export function createSymbolReadout(symbols: AnswerSymbols): Readout {
  const { ids } = symbols
  return {
    head: 'symbols',
    feeds: { symbol_ids: { type: 'int64', dims: [ids.length], data: BigInt64Array.from(ids, BigInt) } },
    read(outputs, row, question) {
      const { data, width } = matrix(outputs, 'logits')
      return Float64Array.from(symbols.of(question), (symbol) => data[row * width + symbols.column(symbol)]!)
    },
  }
}
