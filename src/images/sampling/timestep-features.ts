const FREQUENCIES = 128
const MAX_PERIOD = 10_000

/** Width of what {@link computeTimestepFeatures} gives. */
export const TIMESTEP_FEATURES = 2 * FREQUENCIES

/**
 * Sinusoidal features of a timestep, cosines first, as both transformers take them.
 *
 * @param time 0 to 1000
 */
export function computeTimestepFeatures(time: number): Float32Array {
  const features = new Float32Array(TIMESTEP_FEATURES)
  const scale = Math.fround(-Math.log(MAX_PERIOD))
  for (let i = 0; i < FREQUENCIES; i++) {
    const frequency = Math.fround(Math.exp(Math.fround(Math.fround(scale * i) / FREQUENCIES)))
    const angle = Math.fround(Math.fround(time) * frequency)
    features[i] = Math.cos(angle)
    features[i + FREQUENCIES] = Math.sin(angle)
  }
  return features
}
