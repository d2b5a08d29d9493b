import { resizeLanczos } from '../picture/lanczos.ts'
import type { PixelImage } from '../picture/pixel-image.ts'
import { MersenneTwister } from '../sampling/mersenne-twister.ts'

/** Sides of a cloud in colours: from a wash over the whole picture to single tokens. */
const GRAINS = [2, 4, 8, 16, 32] as const

/** Square pictures of random colours that flow into each other, in several grains; always the same ones. */
export function drawColourClouds(side: number): PixelImage[] {
  const random = new MersenneTwister(0)
  return GRAINS.map((grain) => {
    const data = Uint8Array.from({ length: 3 * grain * grain }, () => random.next() >>> 24)
    return resizeLanczos({ width: grain, height: grain, channels: 3, data }, side, side)
  })
}
