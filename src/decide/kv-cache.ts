import type { Session, Tensor } from '../backends/backend.ts'

export interface CacheShape {
  readonly layers: number
  readonly heads: number
  readonly headDim: number
}

/** Lengths of the arrays that a cache of `capacity` rows consists of. */
export function cacheLengths({ layers, heads, headDim }: CacheShape, capacity: number): number[] {
  return new Array<number>(2 * layers).fill(heads * capacity * headDim)
}

/**
 * Keys and values of every layer: float32 [1, KV heads, capacity, head_dim] each. Passes write behind what is there;
 * forgetting a branch, or a window, is just not counting its rows, so questions cost no copies ("rewind").
 */
export class KvCache {
  readonly #tensors: Record<string, Tensor>
  readonly #inPlace: boolean

  /** `memory` is arrays of `cacheLengths`. */
  constructor(shape: CacheShape, capacity: number, inPlace: boolean, memory: readonly Float32Array[]) {
    this.#inPlace = inPlace
    const dims = [1, shape.heads, capacity, shape.headDim]
    this.#tensors = Object.fromEntries(memory.map((data, index) => {
      const name = `${index % 2 === 0 ? 'key' : 'value'}.${Math.floor(index / 2)}`
      return [name, { type: 'float32', dims, data }]
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
