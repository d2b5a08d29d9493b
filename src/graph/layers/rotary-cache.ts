import type { RopeConfig } from '../../models/language-models/rope-config.ts'
import { rotaryFrequencies } from '../../models/language-models/rotary-frequencies.ts'

/** Cosine and sine tables of rotary position embedding, row-major [positions, headSize / 2]. */
export interface RotaryCache {
  readonly cos: Float32Array
  readonly sin: Float32Array
}

/**
 * Angles are rounded to float32 where transformers rounds them (frequency, then its product with the position), so that
 * far positions agree; the cosine of the rounded angle is taken in double.
 */
export function computeRotaryCache(positions: number, headSize: number, rope: RopeConfig | undefined): RotaryCache {
  const half = headSize / 2
  // The angle 0 for a layer that rotates nothing, as attention takes tables of all layers or of none.
  if (rope === undefined)
    return { cos: new Float32Array(positions * half).fill(1), sin: new Float32Array(positions * half) }
  const frequencies = rotaryFrequencies(headSize, rope)
  const magnitude = rope.scaling?.type === 'yarn' ? rope.scaling.magnitude : 1
  const cos = new Float32Array(positions * half)
  const sin = new Float32Array(positions * half)
  for (let position = 0; position < positions; position++) {
    for (let m = 0; m < half; m++) {
      const angle = Math.fround(position * frequencies[m]!)
      cos[position * half + m] = Math.cos(angle) * magnitude
      sin[position * half + m] = Math.sin(angle) * magnitude
    }
  }
  return { cos, sin }
}
