import type { Session, Tensor } from '../backends/backend.ts'

/**
 * Keys and values of every layer: float32 [1, KV heads, capacity, head_dim] each. Passes write behind what is there;
 * forgetting a branch, or a window, is just not counting its rows, so questions cost no copies ("rewind").
 */
export class KvCache {
  readonly #tensors: Record<string, Tensor>
  readonly #inPlace: boolean

  constructor(shape: { layers: number; heads: number; headDim: number }, capacity: number, inPlace: boolean) {
    this.#inPlace = inPlace
    const dims = [1, shape.heads, capacity, shape.headDim]
    const size = dims.reduce((product, dim) => product * dim, 1)
    const names = Array.from({ length: shape.layers }, (_, layer) => [`key.${layer}`, `value.${layer}`]).flat()
    this.#tensors = Object.fromEntries(names.map((name) => [name, { type: 'float32', dims, data: new Float32Array(size) }]))
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
