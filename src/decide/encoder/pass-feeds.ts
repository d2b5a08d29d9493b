import type { Tensor } from '../../backends/backend.ts'
import { int64 } from '../int64-tensor.ts'
import { localBlocks, textBlocks } from './attention-blocks.ts'

/** A text of a pass. */
export interface PassText {
  readonly ids: readonly number[]
  /** How many of the last tokens are of the second segment. @defaultValue none */
  readonly second?: number
  /** Its rows that a head reads. */
  readonly rows: readonly number[]
  /** Kind of its question, where a head has a table of kinds. */
  readonly type?: number
}

/**
 * What a graph on an encoder is fed with to read texts that stand one behind the other.
 *
 * @param names the inputs of the graph, of which there may be fewer than are known here
 * @param window tokens that local layers see, where there are such
 */
export function passFeeds(
  texts: readonly PassText[],
  names: readonly string[],
  window?: number,
): Record<string, Tensor> {
  const lengths = texts.map(({ ids }) => ids.length)
  const total = lengths.reduce((sum, length) => sum + length, 0)
  const perToken = (of: (text: PassText, place: number) => number) =>
    int64(
      texts.flatMap((text) => text.ids.map((_, place) => of(text, place))),
      [1, total],
    )
  const inputs: Readonly<Record<string, () => Tensor>> = {
    input_ids: () => perToken(({ ids }, place) => ids[place]!),
    position_ids: () => perToken((_, place) => place),
    token_type_ids: () => perToken(({ ids, second = 0 }, place) => (place < ids.length - second ? 0 : 1)),
    type_ids: () => ({ ...perToken(({ type = 0 }) => type), dims: [total] }),
    rows: () => listRows(texts),
    means: () => listMeans(lengths, total),
  }
  const attention = { ...textBlocks(lengths), ...(window !== undefined && localBlocks(lengths, window)) }
  const own = names.filter((name) => Object.hasOwn(inputs, name)).map((name) => [name, inputs[name]!()] as const)
  return { ...attention, ...Object.fromEntries(own) }
}

function listRows(texts: readonly PassText[]): Tensor {
  const rows: number[] = []
  let first = 0
  for (const text of texts) {
    for (const row of text.rows) rows.push(first + row)
    first += text.ids.length
  }
  return int64(rows, [rows.length])
}

/** [texts, tokens]: the weight of each token in the mean of each text. */
function listMeans(lengths: readonly number[], total: number): Tensor {
  const data = new Float32Array(lengths.length * total)
  let first = 0
  for (const [text, length] of lengths.entries()) {
    data.fill(1 / length, text * total + first, text * total + first + length)
    first += length
  }
  return { type: 'float32', dims: [lengths.length, total], data }
}
