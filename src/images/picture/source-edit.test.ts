import { expect, it } from 'vitest'
import type { PixelImage } from './pixel-image.ts'
import { applySourceEdit, findSourceEdit } from './source-edit.ts'

const SIDE = 64
const detail = (x: number, y: number) => ((x * 31 + y * 17) % 11) - 5

/** A gray picture with a coloured square in its middle; all of it has detail where asked for. */
function picture(square: readonly [number, number, number], detailed: boolean): PixelImage {
  const data = new Uint8Array(3 * SIDE * SIDE)
  for (let i = 0; i < data.length; i++) {
    const [x, y] = [Math.floor(i / 3) % SIDE, Math.floor(i / 3 / SIDE)]
    const inside = x >= 20 && x < 44 && y >= 20 && y < 44
    const shade = inside ? 20 * Math.sin(x / 3) : 0
    data[i] = (inside ? square[i % 3]! : 120) + shade + (detailed ? detail(x, y) : 0)
  }
  return { width: SIDE, height: SIDE, channels: 3, data }
}

it('keeps a source to the bit where it was left, and its details where its colours became others', () => {
  const [red, blue] = [
    [200, 60, 60],
    [60, 60, 200],
  ] as const
  const drawn = picture(blue, false)
  const source = picture(red, true)
  const wanted = picture(blue, true)
  const result = applySourceEdit(drawn, source, findSourceEdit(drawn, picture(red, false)))
  const corner = 3 * SIDE * 8
  expect(Buffer.from(result.data.subarray(0, corner)).equals(source.data.subarray(0, corner))).toBe(true)
  const errors = (of: PixelImage) => {
    let sum = 0
    for (let y = 26; y < 38; y++) {
      for (let x = 26; x < 38; x++) {
        const at = 3 * (y * SIDE + x)
        for (let i = at; i < at + 3; i++) sum += Math.abs(of.data[i]! - wanted.data[i]!)
      }
    }
    return sum / (3 * 12 * 12)
  }
  expect(errors(result)).toBeLessThan(errors(picture(blue, false)) / 2)
})
