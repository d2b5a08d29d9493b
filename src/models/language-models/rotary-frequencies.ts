import type { RopeConfig, RopeScaling } from './rope-config.ts'

type Scaling<Type> = Extract<RopeScaling, { type: Type }>

const { fround } = Math

/** Angle a position of each pair of a head, [headSize / 2], rounded to float32 where transformers rounds. */
export function rotaryFrequencies(headSize: number, { theta, scaling }: RopeConfig): Float32Array {
  const powers = Float32Array.from({ length: headSize / 2 }, (_, m) => theta ** fround((2 * m) / headSize))
  const plain = powers.map((power) => 1 / power)
  if (scaling === undefined) return plain
  if (scaling.type === 'linear') return plain.map((frequency) => frequency / scaling.factor)
  return scaling.type === 'llama3' ? scaleByWavelength(plain, scaling) : interpolate(powers, headSize, theta, scaling)
}

/** Llama 3.1: long waves are stretched by the factor, short ones stay, those between are mixed. */
function scaleByWavelength(plain: Float32Array, scaling: Scaling<'llama3'>): Float32Array {
  const { factor, lowFrequency, highFrequency, trainedPositions } = scaling
  return plain.map((frequency) => {
    const wavelength = fround((2 * Math.PI) / frequency)
    // In this order, which tells where a file has the lower bound above the higher one.
    if (wavelength > trainedPositions / lowFrequency) return frequency / factor
    if (wavelength < trainedPositions / highFrequency) return frequency
    const share = (trainedPositions / wavelength - lowFrequency) / (highFrequency - lowFrequency)
    return ((1 - share) * frequency) / factor + share * frequency
  })
}

/** YaRN (Peng et al. 2023, arXiv:2309.00071): pairs that turn often keep their angle, those that hardly turn are stretched. */
function interpolate(
  powers: Float32Array,
  headSize: number,
  theta: number,
  { factor, fastRotations, slowRotations, trainedPositions, truncates }: Scaling<'yarn'>,
): Float32Array {
  const pairAt = (rotations: number) =>
    (headSize * Math.log(trainedPositions / (rotations * 2 * Math.PI))) / (2 * Math.log(theta))
  const [first, last] = [pairAt(fastRotations), pairAt(slowRotations)]
  const low = Math.max(truncates ? Math.floor(first) : first, 0)
  const high = Math.min(truncates ? Math.ceil(last) : last, headSize - 1)
  const width = low === high ? 0.001 : high - low
  return powers.map((power, m) => {
    const stretched = Math.min(1, Math.max(0, (m - low) / width))
    return stretched / (factor * power) + (1 - stretched) / power
  })
}
