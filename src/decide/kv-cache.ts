import type { Precision, Session, Tensor } from '../backends/backend.ts'

export interface CacheShape {
  readonly layers: number
  readonly heads: number
  readonly headDim: number
  readonly precision: Precision
}

/** Lengths of the arrays that a cache of `capacity` rows consists of; one of them holds two numbers of `float16`. */
export function cacheLengths({ layers, heads, headDim, precision }: CacheShape, capacity: number): number[] {
  const size = heads * capacity * headDim
  const length = precision === 'float16' ? Math.ceil(size / 2) : size
  return Array.from({ length: 2 * layers }, () => length)
}

/**
 * Keys and values of every layer: [1, KV heads, capacity, head_dim] each, in the shape's precision. Passes that extend it
 * write behind what is there; questions only read, and a window is forgotten by not counting its rows ("rewind").
 */
export class KvCache {
  readonly #tensors: Readonly<Record<string, Tensor>>
  readonly #shape: CacheShape
  readonly #capacity: number

  /** `memory` is arrays of `cacheLengths`. */
  constructor(shape: CacheShape, capacity: number, memory: readonly Float32Array[]) {
    this.#shape = shape
    this.#capacity = capacity
    const { heads, headDim, precision: type } = shape
    const dims = [1, heads, capacity, headDim]
    this.#tensors = Object.fromEntries(memory.map((array, index) => {
      const halves = () => new Uint16Array(array.buffer, array.byteOffset, heads * capacity * headDim)
      const name = `${index % 2 === 0 ? 'key' : 'value'}.${Math.floor(index / 2)}`
      return [name, { type, dims, data: type === 'float16' ? halves() : array }]
    }))
  }

  /** Runs a prefill pass, which continues `past` rows, and keeps what it computes. */
  async extend(prefill: Session, feeds: Readonly<Record<string, Tensor>>, past: number): Promise<void> {
    const rows = await this.read(prefill, feeds)
    for (const [name, { data }] of Object.entries(this.#tensors)) this.#write(data, rows[name] as Tensor, past)
  }

  /** Runs a pass that sees the cache; returns its outputs. */
  read(session: Session, feeds: Readonly<Record<string, Tensor>>): Promise<Record<string, Tensor>> {
    const all = { ...feeds }
    for (const [name, tensor] of Object.entries(this.#tensors)) {
      // Prefill needs no past of the last layer.
      if (session.inputNames.includes(`past_${name}`)) all[`past_${name}`] = tensor
    }
    return session.run(all)
  }

  /** Overwrites what was read with zeros: keys and values can be inverted to the text they came from. */
  clear(): void {
    for (const tensor of Object.values(this.#tensors)) tensor.data.fill(0 as never)
  }

  /** `rows` is [1, KV heads, S, head_dim]. */
  #write(cache: Tensor['data'], rows: Tensor, past: number): void {
    const { heads, headDim } = this.#shape
    const size = rows.data.length / heads
    for (let head = 0; head < heads; head++) {
      cache.set(rows.data.subarray(head * size, (head + 1) * size) as never, (head * this.#capacity + past) * headDim)
    }
    // They can be inverted to text like the cache, which is cleared, and nobody knows when this memory is used again.
    rows.data.fill(0 as never)
  }
}
