import { toProbabilities } from './calibrate.ts'
import { choiceConfidence } from './confidence.ts'

/** Half-open range of state tokens. */
export interface Window {
  readonly start: number
  readonly end: number
}

/** How much windows that found something count against the others, in models that do not say it. */
export const SHARPNESS = 4

/** The most that a model reads at once. */
export interface PlanLimits {
  /** Positions the model was made for. */
  readonly positions: number
  readonly window: { readonly tokens: number; readonly overlap: number }
}

/**
 * Cuts a state of `length` tokens into the fewest windows of at most `size` tokens. Neighbours share `overlap` tokens or a
 * few more, so that what straddles one cut is whole in the next window; sizes differ by one token at most.
 */
export function splitWindows(length: number, size: number, overlap: number): Window[] {
  if (length <= size) return [{ start: 0, end: length }]
  const count = Math.ceil((length - overlap) / (size - overlap))
  const stride = (length - size) / (count - 1)
  return Array.from({ length: count }, (_, index) => {
    const start = Math.round(index * stride)
    return { start, end: Math.min(length, start + size) }
  })
}

/**
 * One set of logits from the windows' calibrated logits, each [K]: `Σ wᵢ·zᵢ` with weights `wᵢ ∝ exp(sharpness · cᵢ)`, where
 * cᵢ is how far window i is from undecided: its largest probability above 1/K, scaled to 0…1. Windows that found nothing are
 * near even and hardly count; at sharpness 0 this is the mean. Renaming options or reordering windows changes nothing.
 */
export function poolWindows(windows: readonly Float64Array[], sharpness: number): Float64Array {
  return weightedSum(windows, weighWindows(windows, sharpness))
}

/** The weights of the windows in {@link poolWindows}, from their calibrated logits; they sum to 1. */
export function weighWindows(windows: readonly Float64Array[], sharpness: number): number[] {
  return toProbabilities(windows.map((logits) => sharpness * choiceConfidence(toProbabilities(logits))))
}

/** The rows of several windows as those of one. All have the same length. */
export function weightedSum<Rows extends Float32Array | Float64Array>(
  windows: readonly Rows[],
  weights: readonly number[],
): Rows {
  const [first] = windows
  if (!first) throw new RangeError('expected at least one window')
  return first.map((_, at) => windows.reduce((sum, rows, index) => sum + weights[index]! * rows[at]!, 0)) as Rows
}
