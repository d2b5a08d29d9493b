import type { Feeds, Session, Tensor } from '../../backends/backend.ts'
import { type CacheShape, layerNames } from '../../graph/index.ts'
import { wipe } from '../kept/keys-and-values.ts'
import { feedPast, type RowCopies, type StateCache } from './state-cache.ts'

/** Lengths of the arrays that a cache of `capacity` rows consists of; one of them holds two numbers of `float16`. */
export function cacheLengths({ layers, heads, headDim, precision }: CacheShape, capacity: number): number[] {
  const size = heads * capacity * headDim
  const length = precision === 'float16' ? Math.ceil(size / 2) : size
  return layerNames(layers).map(() => length)
}

/**
 * A cache in JavaScript's memory: [1, KV heads, capacity, head_dim] each. Passes that extend it write behind what is
 * there; questions only read, and a window is forgotten by not counting its rows ("rewind").
 */
export class KvCache implements StateCache {
  readonly #prefill: Session
  readonly #tensors: Readonly<Record<string, Tensor>>
  readonly #shape: CacheShape
  readonly #capacity: number

  /** `memory` is arrays of `cacheLengths`. */
  constructor(prefill: Session, shape: CacheShape, capacity: number, memory: readonly Float32Array[]) {
    this.#prefill = prefill
    this.#shape = shape
    this.#capacity = capacity
    const { heads, headDim, precision: type } = shape
    const dims = [1, heads, capacity, headDim]
    this.#tensors = Object.fromEntries(
      layerNames(shape.layers).map((name, index) => {
        const array = memory[index]!
        const halves = () => new Uint16Array(array.buffer, array.byteOffset, heads * capacity * headDim)
        return [name, { type, dims, data: type === 'float16' ? halves() : array }]
      }),
    )
  }

  async extend(feeds: Feeds, past: number): Promise<void> {
    const rows = await this.read(this.#prefill, feeds)
    for (const [name, { data }] of Object.entries(this.#tensors)) this.#write(data, rows[name]!, past)
    // They can be inverted to text like the cache, which is cleared.
    wipe(this.#prefill, rows)
  }

  read(session: Session, feeds: Feeds): Promise<Record<string, Tensor>> {
    return session.run({ ...feeds, ...feedPast(session, this.#tensors) })
  }

  get copies(): RowCopies {
    const { heads, headDim, precision: type } = this.#shape
    const tensors = Object.entries(this.#tensors)
    return {
      weigh: (rows) => tensors.length * heads * rows * headDim * (type === 'float16' ? 2 : 4),
      make: (rows) =>
        Object.fromEntries(
          tensors.map(([name, { data }]) => [
            name,
            { type, dims: [1, heads, rows, headDim], data: this.#copy(data, rows) },
          ]),
        ),
      restore: (copy) => {
        for (const [name, { data }] of tensors) this.#write(data, copy[name]!, 0)
      },
    }
  }

  async clear(): Promise<void> {
    for (const tensor of Object.values(this.#tensors)) tensor.data.fill(0 as never)
  }

  #copy(cache: Tensor['data'], rows: number): Tensor['data'] {
    const { heads, headDim, precision } = this.#shape
    const size = rows * headDim
    const copy = precision === 'float16' ? new Uint16Array(heads * size) : new Float32Array(heads * size)
    for (let head = 0; head < heads; head++) {
      const from = head * this.#capacity * headDim
      copy.set(cache.subarray(from, from + size) as never, head * size)
    }
    return copy
  }

  /** `rows` is [1, KV heads, S, head_dim]. */
  #write(cache: Tensor['data'], rows: Tensor, past: number): void {
    const { heads, headDim } = this.#shape
    const size = rows.data.length / heads
    for (let head = 0; head < heads; head++) {
      cache.set(rows.data.subarray(head * size, (head + 1) * size) as never, (head * this.#capacity + past) * headDim)
    }
  }
}
