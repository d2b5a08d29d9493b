import { expect, it } from 'vitest'
import { pictureDifference } from '../../../test/helpers/picture-difference.ts'
import { applyColorChange, fitColorChange } from './color-change.ts'
import type { PixelImage } from './pixel-image.ts'

const SIDE = 48
type Color = readonly [number, number, number]

function paint(side: number, color: (x: number, y: number) => Color): PixelImage {
  const data = new Uint8Array(3 * side * side)
  for (let pixel = 0; pixel < side * side; pixel++) data.set(color(pixel % side, Math.floor(pixel / side)), 3 * pixel)
  return { width: side, height: side, channels: 3, data }
}

const wave = (at: number, length: number) => Math.sin((2 * Math.PI * at) / length)
/** Soft colours, as a model reads them, of a picture of any size. */
const soft =
  (scale: number) =>
  (x: number, y: number): Color => [
    130 + 60 * wave(x / scale, 16),
    120 + 60 * wave(y / scale, 13),
    110 + 50 * wave((x + y) / scale, 19),
  ]
const gray = ([red, green, blue]: Color): Color => {
  const level = 0.3 * red + 0.6 * green + 0.1 * blue
  return [level, level, level]
}
const white = (side: number) => paint(side, () => [255, 255, 255])
const black = (side: number) => paint(side, () => [0, 0, 0])

function largestGap(a: PixelImage, b: PixelImage): number {
  return pictureDifference(a.data, b.data).most
}

it('does to a larger source with its details what was done to the soft picture', () => {
  const before = paint(SIDE, soft(1))
  const after = paint(SIDE, (x, y) => gray(soft(1)(x, y)))
  const detailed = (x: number, y: number): Color => {
    const [red, green, blue] = soft(3)(x, y)
    const line = (x + y) % 5 === 0 ? 40 : 0
    return [red + line, green + line, blue + line]
  }
  const source = paint(3 * SIDE, detailed)
  const right = paint(3 * SIDE, (x, y) => gray(detailed(x, y)))
  const drawn = paint(3 * SIDE, (x, y) => gray(soft(3)(x, y)))
  expect(largestGap(drawn, right)).toBeGreaterThan(35)
  applyColorChange(drawn, source, fitColorChange(before, after, white(SIDE)))
  expect(largestGap(drawn, right)).toBeLessThan(17)
})

it('follows maps that differ from place to place, and flat colours that became others', () => {
  const left = (x: number) => x < SIDE / 2
  const before = paint(SIDE, (x) => (left(x) ? [200, 40, 40] : [40, 40, 200]))
  const after = paint(SIDE, (x) => (left(x) ? [40, 160, 60] : [40, 40, 200]))
  const drawn = paint(SIDE, () => [0, 0, 0])
  applyColorChange(drawn, before, fitColorChange(before, after, white(SIDE)))
  expect(largestGap(drawn, after)).toBeLessThan(6)
})

it.each([
  [
    'something else is there',
    paint(SIDE, (x, y) => ((x * 7 + y * 13) % 8 < 4 ? [250, 20, 90] : [10, 230, 140])),
    white,
  ],
  ['nothing changed', paint(SIDE, soft(1)), black],
] as const)('leaves what was drawn where %s', (_, after, changed) => {
  const source = paint(SIDE, (x, y) => soft(1)(y, x))
  const drawn = paint(SIDE, () => [1, 2, 3])
  applyColorChange(drawn, source, fitColorChange(paint(SIDE, soft(1)), after, changed(SIDE)))
  expect(
    largestGap(
      drawn,
      paint(SIDE, () => [1, 2, 3]),
    ),
  ).toBe(0)
})

it('keeps to levels that there are', () => {
  const before = paint(SIDE, soft(1))
  const after = paint(SIDE, (x, y) => soft(1)(x, y).map((level) => Math.min(level * 1.3, 255)) as unknown as Color)
  const drawn = black(SIDE)
  applyColorChange(drawn, white(SIDE), fitColorChange(before, after, white(SIDE)))
  expect(Math.min(...drawn.data)).toBeGreaterThan(240)
})
