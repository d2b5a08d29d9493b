import { MersenneTwister } from './mersenne-twister.ts'

/** Values that torch transforms together: eight radii, then eight angles. */
const BLOCK = 16
const HALF = BLOCK / 2
const TWO_PI = Math.fround(2 * Math.PI)

/** Draws the next `length` values of standard normal noise, at least 16: torch draws shorter tensors in another way. */
export type NoiseSource = (length: number) => Float32Array

/**
 * Standard normal noise as `torch.randn` draws it on a CPU, call by call, for a generator seeded with `seed`, up to the
 * last bit of some logarithms and cosines.
 *
 * @param seed whole number; as in torch only its low 32 bits (two's complement) count
 * @returns a source that throws a RangeError for fewer than 16 values
 */
export function createNoise(seed: number): NoiseSource {
  const source = new MersenneTwister(Number(BigInt.asUintN(32, BigInt(seed))))
  return (length) => {
    if (length < BLOCK) throw new RangeError(`expected at least ${BLOCK} values to draw, got ${length}`)
    const values = new Float32Array(length)
    fillUniform(values, source)
    for (let start = 0; start + BLOCK <= length; start += BLOCK) toNormal(values.subarray(start, start + BLOCK))
    if (length % BLOCK !== 0) {
      // torch draws the last whole block anew, overlapping the block before it.
      const last = values.subarray(length - BLOCK)
      fillUniform(last, source)
      toNormal(last)
    }
    return values
  }
}

function fillUniform(values: Float32Array, source: MersenneTwister): void {
  for (let i = 0; i < values.length; i++) values[i] = (source.next() & 0xffffff) * 2 ** -24
}

/** Box-Muller transform of sixteen uniform values, rounded to float32 wherever torch rounds. */
function toNormal(block: Float32Array): void {
  for (let i = 0; i < HALF; i++) {
    const logarithm = Math.fround(Math.log(Math.fround(1 - block[i]!)))
    const radius = Math.fround(Math.sqrt(-2 * logarithm))
    const angle = Math.fround(TWO_PI * block[i + HALF]!)
    block[i] = radius * Math.fround(Math.cos(angle))
    block[i + HALF] = radius * Math.fround(Math.sin(angle))
  }
}
