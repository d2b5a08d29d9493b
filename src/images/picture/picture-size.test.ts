import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { drawPicture } from '../../../test/helpers/pseudo-random.ts'
import { closestShape, limitSize, parseSize, planMultiple, planMultipleEdit, planNative } from './picture-size.ts'

const size = (text: string) => parseSize(text)
const finished = ({ drawn, finish }: ReturnType<typeof planMultiple>) => {
  const { width, height } = finish(drawPicture('size', drawn.width, drawn.height, 3))
  return { drawn: `${drawn.width}x${drawn.height}`, finished: `${width}x${height}` }
}

it.each([
  ['64x48', '64x48'],
  ['65x48', '80x48'],
  ['16x16', '16x16'],
  ['17x2048', '32x2048'],
])('draws %s at the next multiple, %s, and cuts it to size', (wanted, drawn) => {
  expect(finished(planMultiple(size(wanted), 16))).toEqual({ drawn, finished: wanted })
})

it('cuts the margins of a picture evenly', () => {
  const { drawn, finish } = planMultiple(size('12x16'), 16)
  const picture = drawPicture('size', drawn.width, drawn.height, 3)
  expect([...finish(picture).data.subarray(0, 3)]).toEqual([...picture.data.subarray(2 * 3, 3 * 3)])
})

describe('a model of a few sizes', () => {
  const natives = [size('256x256'), size('320x192'), size('192x320')]

  it.each([
    ['1024x1024', '256x256'],
    ['256x256', '256x256'],
    ['320x192', '320x192'],
    ['1280x720', '320x192'],
    ['200x250', '256x256'],
    ['16x2048', '192x320'],
    ['2048x16', '320x192'],
    ['17x19', '256x256'],
  ])('draws %s at %s', (wanted, drawn) => {
    expect(finished(planNative(size(wanted), natives))).toEqual({ drawn, finished: wanted })
  })

  it('leaves the pixels of a native size as they are', () => {
    const picture = drawPicture('native', 320, 192, 3)
    expect(planNative(size('320x192'), natives).finish(picture)).toEqual(picture)
  })

  it('stretches nothing: a circle stays one', () => {
    const data = new Uint8Array(256 * 256 * 3)
    for (let i = 0; i < 256 * 256; i++) {
      if (Math.hypot((i % 256) - 127.5, Math.floor(i / 256) - 127.5) < 40) data[i * 3] = 255
    }
    const { finish } = planNative(size('640x400'), [size('256x256')])
    const { width, height, data: resized } = finish({ width: 256, height: 256, channels: 3, data })
    const bright = (x: number, y: number) => resized[(y * width + x) * 3]! > 127
    const across = Array.from({ length: width }, (_, x) => x).filter((x) => bright(x, height / 2)).length
    const down = Array.from({ length: height }, (_, y) => y).filter((y) => bright(width / 2, y)).length
    expect(Math.abs(across - down)).toBeLessThanOrEqual(1)
    expect(across).toBe(200)
  })

  it('takes any size that a request may ask for', () => {
    const side = fc.integer({ min: 16, max: 2048 })
    fc.assert(
      fc.property(side, side, (width, height) => {
        const { drawn } = planNative({ width, height }, natives)
        expect(drawn).toBe(closestShape({ width, height }, natives))
      }),
    )
  })
})

it('keeps the shape of a source whose side is beyond the limit', () => {
  expect(limitSize(size('2048x2048'))).toEqual(size('2048x2048'))
  expect(limitSize(size('4096x3000'))).toEqual(size('2048x1500'))
  expect(limitSize(size('64x40'))).toEqual(size('64x40'))
})

it.each(['1000x1000', '1500x1100', '77x76'])('puts a picture to follow over a source of %s', async (text) => {
  const picture = drawPicture('edges', size(text).width, size(text).height, 3)
  const { shown, place } = planMultipleEdit(picture, 16)
  const turn = async () => {}
  const seen = await shown(picture, turn)
  for (const control of [picture, seen]) {
    const { width, height, data } = await place(control, turn)
    expect([width, height, Buffer.compare(data, seen.data)]).toEqual([seen.width, seen.height, 0])
  }
})
