import { expect, it } from 'vitest'
import { cropCentre, fromPlanes, toPlanes } from './pixel-image.ts'

it('turns colours into bytes as numpy does: clamped, and halves to the even neighbour', () => {
  // The second and third are exactly 126.5 and 127.5 of 255 in float32.
  const red = [-3, -0.007843166589736938, 0, 1, 7]
  const planes = Float32Array.from([...red, ...red.map(() => -1), ...red.map(() => 1)])
  const { data, ...rest } = fromPlanes(planes, 5, 1)
  expect(rest).toEqual({ width: 5, height: 1, channels: 3 })
  expect([...data]).toEqual([0, 0, 255, 126, 0, 255, 128, 0, 255, 255, 0, 255, 255, 0, 255])
})

it('refuses colours that are no numbers', () => {
  expect(() => fromPlanes(Float32Array.of(0, Number.NaN, 0), 1, 1)).toThrow('colours that are no numbers')
})

it('gives every byte back that went through planes', () => {
  const data = Uint8Array.from({ length: 768 }, (_, i) => i)
  const picture = { width: 16, height: 16, channels: 3, data } as const
  expect(fromPlanes(toPlanes(picture), 16, 16)).toEqual(picture)
})

it('cuts off a pixel more on the right and below where margins are odd', () => {
  const data = Uint8Array.from({ length: 4 * 3 * 4 }, (_, i) => i >> 2)
  const { data: cropped } = cropCentre({ width: 4, height: 3, channels: 4, data }, 1, 2)
  expect([...cropped]).toEqual([1, 1, 1, 1, 5, 5, 5, 5])
})
