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
 * Keys and values of every layer: [1, KV heads, capacity, head_dim] each, in the shape's precision. Passes write behind
 * what is there; forgetting a branch, or a window, is just not counting its rows, so questions cost no copies
 * ("rewind").
 */
export class KvCache {
  readonly #tensors: Record<string, Tensor>
  readonly #inPlace: boolean

  /** `memory` is arrays of `cacheLengths`. */
  constructor(shape: CacheShape, capacity: number, inPlace: boolean, memory: readonly Float32Array[]) {
    this.#inPlace = inPlace
    const { heads, headDim, precision: type } = shape
    const dims = [1, heads, capacity, headDim]
    this.#tensors = Object.fromEntries(memory.map((array, index) => {
      const halves = () => new Uint16Array(array.buffer, array.byteOffset, heads * capacity * headDim)
      const name = `${index % 2 === 0 ? 'key' : 'value'}.${Math.floor(index / 2)}`
      return [name, { type, dims, data: type === 'float16' ? halves() : array }]
    }))
  }

  /** Runs a pass that reads and extends the cache; returns the pass's other outputs. */
  async run(session: Session, feeds: Readonly<Record<string, Tensor>>): Promise<Record<string, Tensor>> {
    const past: Record<string, Tensor> = {}
    const present: Record<string, Tensor> = {}
    for (const [name, tensor] of Object.entries(this.#tensors)) {
      past[`past_${name}`] = tensor
      present[`present_${name}`] = tensor
    }
    const outputs = await session.run({ ...feeds, ...past }, this.#inPlace ? present : undefined)
    if (!this.#inPlace) {
      for (const name of Object.keys(this.#tensors)) {
        this.#tensors[name]?.data.fill(0 as never)
        this.#tensors[name] = outputs[`present_${name}`] as Tensor
      }
    }
    return outputs
  }

  /** Overwrites what was read with zeros: keys and values can be inverted to the text they came from. */
  clear(): void {
    for (const tensor of Object.values(this.#tensors)) tensor.data.fill(0 as never)
  }
}
