/** Velocity of latents at a noise level, of the latents' length. */
export type Predict = (latents: Float32Array, sigma: number) => Promise<Float32Array>

/**
 * Classifier-free guidance: `from + scale · (positive - negative)`, where Z-Image counts from the positive prediction
 * and FLUX.2 from the negative one, so that scale 1 there means none.
 */
export function guide(positive: Predict, negative: Predict, scale: number, from: 'positive' | 'negative'): Predict {
  return async (latents, sigma) => {
    const towards = await positive(latents, sigma)
    const away = await negative(latents, sigma)
    const start = from === 'positive' ? towards : away
    const factor = Math.fround(scale)
    return towards.map((value, i) => start[i]! + Math.fround(factor * Math.fround(value - away[i]!)))
  }
}
