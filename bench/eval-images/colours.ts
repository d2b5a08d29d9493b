import type { PixelImage } from '../../src/images/index.ts'
import { BACKGROUNDS } from './prompts.ts'

/** Fewer pixels than the letters of any word cover. */
const INKED = 400

/** The named colour closest to the median of the pixels at the picture's rim, or of its upper or lower edge only. */
export function nameBackground({ data, width, height }: PixelImage, edge: 'rim' | 'top' | 'bottom' = 'rim'): string {
  const isThere = {
    rim: (x: number, y: number) => [0, width - 1].includes(x) || [0, height - 1].includes(y),
    top: (_: number, y: number) => y === 0,
    bottom: (_: number, y: number) => y === height - 1,
  }[edge]
  const there = Array.from({ length: width * height }, (_, i) => i).filter((i) =>
    isThere(i % width, Math.floor(i / width)),
  )
  return nameColour(medians(data, there))
}

/** The named colour of a word on a plain background: that of the pixels that differ most from the background. */
export function nameInk({ data, width, height }: PixelImage): string {
  const pixels = Array.from({ length: width * height }, (_, i) => i)
  const background = medians(data, pixels)
  const far = (i: number) => Math.hypot(...background.map((level, channel) => level - data[i * 3 + channel]!))
  const farthest = pixels.sort((a, b) => far(b) - far(a)).slice(0, INKED)
  return nameColour(medians(data, farthest))
}

function medians(data: Uint8Array, pixels: readonly number[]): number[] {
  return [0, 1, 2].map(
    (channel) => pixels.map((i) => data[i * 3 + channel]!).sort((a, b) => a - b)[Math.floor(pixels.length / 2)]!,
  )
}

function nameColour(levels: readonly number[]): string {
  const distance = (colour: readonly number[]) =>
    Math.hypot(...colour.map((level, channel) => level - levels[channel]!))
  const [closest] = Object.entries(BACKGROUNDS).sort(([, a], [, b]) => distance(a) - distance(b))
  return closest![0]
}
