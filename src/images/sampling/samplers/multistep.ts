/** Logarithm of signal over noise at a level of flow matching, where the signal is 1 - sigma; infinite at 0. */
export function logSignalRatio(sigma: number): number {
  return Math.log(1 - sigma) - Math.log(sigma)
}

/** These samplers tell the model whole steps of the thousand that it was trained on, cut off. */
export function wholeTimes(sigmas: ArrayLike<number>): number[] {
  return Array.from(sigmas, (sigma) => Math.trunc(sigma * 1000) / 1000)
}

/** Predicted clean latents: what is left when the noise is taken off along the velocity. */
export function predictClean(latents: Float32Array, velocity: Float32Array, sigma: number): Float32Array {
  return latents.map((value, i) => value - Math.fround(sigma * velocity[i]!))
}

/** Sum of arrays with their factors. */
export function combine(terms: readonly (readonly [number, Float32Array])[]): Float32Array {
  return Float32Array.from(terms[0]![1], (_, i) =>
    terms.reduce((sum, [factor, values]) => sum + factor * values[i]!, 0),
  )
}
