import type { Tensor } from '../../backends/backend.ts'
import type { Planes, Rows } from './planes.ts'

/** Mean and variance of each group of channels, float32 [groups]. */
export interface GroupStatistics {
  readonly mean: Tensor
  readonly variance: Tensor
}

/** Collects mean and variance of groups of channels, part by part of a picture. */
export class GroupSums {
  readonly #sums: Float64Array
  readonly #squares: Float64Array
  #count = 0

  constructor(groups: number) {
    this.#sums = new Float64Array(groups)
    this.#squares = new Float64Array(groups)
  }

  add({ channels, height, width, data }: Planes, { from, to }: Rows): void {
    const inGroup = channels / this.#sums.length
    for (let channel = 0; channel < channels; channel++) {
      const start = (channel * height + from) * width
      this.#addTo(Math.floor(channel / inGroup), data.subarray(start, start + (to - from) * width))
    }
    this.#count += inGroup * (to - from) * width
  }

  compute(): GroupStatistics {
    const mean = this.#sums.map((sum) => sum / this.#count)
    const variance = this.#squares.map((sum, group) => Math.max(0, sum / this.#count - mean[group]! ** 2))
    const toTensor = (values: Float64Array): Tensor => ({
      type: 'float32',
      dims: [values.length],
      data: Float32Array.from(values),
    })
    return { mean: toTensor(mean), variance: toTensor(variance) }
  }

  // Two sums of each kind, since one addition need not wait for another then; float64 keeps them exact enough.
  #addTo(group: number, values: Float32Array): void {
    let [sum, sum2, squares, squares2] = [0, 0, 0, 0]
    for (let i = 0; i + 1 < values.length; i += 2) {
      const [a, b] = [values[i]!, values[i + 1]!]
      sum += a
      sum2 += b
      squares += a * a
      squares2 += b * b
    }
    const last = values.length % 2 === 0 ? 0 : values.at(-1)!
    this.#sums[group]! += sum + sum2 + last
    this.#squares[group]! += squares + squares2 + last * last
  }
}
