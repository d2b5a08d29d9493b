import type { ModelFiles } from '../files/model-files.ts'
import type { NormGroup } from '../language-models/norm-groups.ts'
import { changedTensor, type MadeTensor, storedTensor } from '../weights/made-weights.ts'
import { translateFiles } from '../weights/translate-files.ts'

/** A norm whose results are divided by a factor for each channel, by which the columns of the matrices behind it are multiplied. */
export interface SmoothedNorm extends NormGroup {
  /** Positive and finite, one for each channel. */
  readonly factors: Float32Array
}

/** What changes the weights of a language model and nothing that it computes but its rounding. */
export interface Smoothing {
  readonly norms: readonly SmoothedNorm[]
  /** Whether stored weights of norms are what exceeds 1. */
  readonly normsFromOne: boolean
}

/**
 * The files of a checkpoint with float weights, as one in which norms are smoothed; its tensors that change are float32. It is made as it
 * is read.
 */
export function smoothWeights(files: ModelFiles, { norms, normsFromOne }: Smoothing): ModelFiles {
  const divided = new Map(norms.map(({ norm, factors }) => [norm, factors]))
  const multiplied = new Map(norms.flatMap(({ matrices, factors }) => matrices.map((name) => [name, factors] as const)))
  const one = normsFromOne ? 1 : 0
  const smooth = (stored: MadeTensor) => {
    const [by, times] = [divided.get(stored.name), multiplied.get(stored.name)]
    if (by !== undefined) return changedTensor(stored, (values) => divide(values, by, one))
    return times === undefined ? stored : changedTensor(stored, (values) => multiplyColumns(values, times))
  }
  return translateFiles(files, () => ({
    form: 'smoothed',
    tensors: (weights, read) => weights.names.map((name) => smooth(storedTensor(name, weights.get(name)!, read))),
  }))
}

/** @param one what the weights of a norm are less than its factors */
function divide(values: Float32Array, by: Float32Array, one: number): void {
  for (let i = 0; i < values.length; i++) values[i] = (values[i]! + one) / by[i]! - one
}

function multiplyColumns(values: Float32Array, times: Float32Array): void {
  for (let row = 0; row < values.length; row += times.length) {
    for (let i = 0; i < times.length; i++) values[row + i]! *= times[i]!
  }
}
