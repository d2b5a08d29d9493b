import { expect, it } from 'vitest'
import { findChanged } from './find-changed.ts'
import type { PixelImage } from './pixel-image.ts'

const [WIDTH, HEIGHT] = [60, 40]

/** A gray picture with a square of other levels from (20, 10) to (40, 30). */
function picture(square: readonly [number, number, number], noise = 0): PixelImage {
  const data = new Uint8Array(3 * WIDTH * HEIGHT)
  for (let i = 0; i < data.length; i++) {
    const [x, y] = [Math.floor(i / 3) % WIDTH, Math.floor(i / 3 / WIDTH)]
    const inside = x >= 20 && x < 40 && y >= 10 && y < 30
    data[i] = (inside ? square[i % 3]! : 100) + ((i * 7919) % (noise + 1))
  }
  return { width: WIDTH, height: HEIGHT, channels: 3, data }
}

const at = ({ data }: PixelImage, x: number, y: number) => [
  ...data.subarray(3 * (y * WIDTH + x), 3 * (y * WIDTH + x) + 3),
]

it('is white where one channel changed by much, and some pixels around, and black where nothing did', () => {
  const changed = findChanged(picture([100, 100, 160]), picture([100, 100, 100]))
  expect(changed).toMatchObject({ width: WIDTH, height: HEIGHT, channels: 3 })
  for (const [x, y] of [
    [30, 20],
    [20, 10],
    [39, 29],
    [17, 20],
    [30, 32],
  ] as const) {
    expect([x, y, ...at(changed, x, y)]).toEqual([x, y, 255, 255, 255])
  }
  for (const [x, y] of [
    [5, 5],
    [30, 0],
    [59, 39],
    [10, 20],
  ] as const) {
    expect([x, y, ...at(changed, x, y)]).toEqual([x, y, 0, 0, 0])
  }
})

it('is black where levels differ by a little everywhere', () => {
  const { data } = findChanged(picture([100, 100, 100], 15), picture([100, 100, 100]))
  expect(Math.max(...data)).toBe(0)
})

it('is gray between', () => {
  const [level] = at(findChanged(picture([124, 124, 124]), picture([100, 100, 100])), 30, 20)
  expect(level).toBe(128)
})
