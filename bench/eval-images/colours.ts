import type { PixelImage } from '../../src/images/index.ts'
import { BACKGROUNDS } from './prompts.ts'

/** The named colour closest to the median of the pixels at the picture's rim. */
export function nameBackground({ data, width, height }: PixelImage): string {
  const rim = Array.from({ length: width * height }, (_, i) => i)
    .filter((i) => [0, width - 1].includes(i % width) || [0, height - 1].includes(Math.floor(i / width)))
  const medians = [0, 1, 2].map((channel) =>
    rim.map((i) => data[i * 3 + channel]!).sort((a, b) => a - b)[Math.floor(rim.length / 2)]!)
  const distance = (colour: readonly number[]) =>
    Math.hypot(...colour.map((level, channel) => level - medians[channel]!))
  const [closest] = Object.entries(BACKGROUNDS).sort(([, a], [, b]) => distance(a) - distance(b))
  return closest![0]
}
