import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { drawPicture } from '../../../test/helpers/pseudo-random.ts'
import { pasteThrough, sampleBilinear, sampleNearest, toMask } from './mask.ts'
import type { PixelImage } from './pixel-image.ts'
import { readMask } from './read-sources.ts'
import { sharpCodec } from './sharp-codec.ts'

const SIZE = { width: 72, height: 64 }
const PICTURE = drawPicture('mask.source', SIZE.width, SIZE.height, 3)

function draw(channels: 1 | 2 | 3 | 4, level: (x: number, y: number) => number[], { width, height } = SIZE) {
  const pixels = Array.from({ length: width * height }, (_, i) => level(i % width, Math.floor(i / width))).flat()
  return sharp(Uint8Array.from(pixels), { raw: { width, height, channels } })
}

async function read(picture: ReturnType<typeof sharp>): Promise<number[]> {
  const text = (await picture.png().toBuffer()).toString('base64')
  const { data } = (await readMask(text, PICTURE, sharpCodec))!
  return [...data].filter((_, i) => i % 3 === 0)
}

const left = (x: number) => x < 30
const wanted = Array.from({ length: SIZE.width * SIZE.height }, (_, i) => (left(i % SIZE.width) ? 255 : 0))

describe('a mask', () => {
  it('is read from grey, colours, and transparency where there is any', async () => {
    expect(await read(draw(1, (x) => [left(x) ? 255 : 0]))).toEqual(wanted)
    expect(await read(draw(3, (x) => (left(x) ? [255, 255, 255] : [0, 0, 0])))).toEqual(wanted)
    expect(await read(draw(4, (x) => (left(x) ? [255, 255, 255, 255] : [0, 0, 0, 255])))).toEqual(wanted)
    // OpenAI's masks are the picture itself with a hole in it.
    expect(await read(draw(4, (x, y) => [x, y, 77, left(x) ? 0 : 255]))).toEqual(wanted)
    expect(await read(draw(2, (x) => [0, left(x) ? 0 : 255]))).toEqual(wanted)
  })

  it('keeps its soft edges', async () => {
    expect(await read(draw(1, (x) => [x]))).toEqual(wanted.map((_, i) => i % SIZE.width))
    expect(await read(draw(4, (x) => [9, 9, 9, 255 - x]))).toEqual(wanted.map((_, i) => i % SIZE.width))
  })

  it.each([
    [{ width: 64, height: 72 }, 'got 64x72'],
    [{ width: 73, height: 64 }, 'got 73x64'],
  ])('of the size %j is refused', async (size, reason) => {
    const text = (
      await draw(1, () => [255], size)
        .png()
        .toBuffer()
    ).toString('base64')
    const refused = readMask(text, PICTURE, sharpCodec)
    await expect(refused).rejects.toMatchObject({ path: 'mask', reason: expect.stringContaining(reason) })
  })

  it.each(['?', 'aGk='])('of %j is refused as a picture would be', async (text) => {
    await expect(readMask(text, PICTURE, sharpCodec)).rejects.toMatchObject({ code: 'invalid_request', path: 'mask' })
  })
})

const grey = (width: number, height: number, levels: number[]): PixelImage =>
  toMask({ width, height, channels: 3, data: Uint8Array.from(levels.flatMap((level) => [level, level, level])) })

it('is sampled as torch.nn.functional.interpolate samples', () => {
  const mask = grey(
    6,
    4,
    Array.from({ length: 24 }, (_, i) => i * 10),
  )
  // interpolate(torch.arange(24.).reshape(1, 1, 4, 6) * 10, size=(2, 4), mode=...)
  const round = (values: Float32Array) => [...values].map((value) => Math.round(value * 255 * 100) / 100)
  expect(round(sampleNearest(mask, 2, 4))).toEqual([0, 10, 30, 40, 120, 130, 150, 160])
  expect(round(sampleBilinear(mask, 2, 4))).toEqual([32.5, 47.5, 62.5, 77.5, 152.5, 167.5, 182.5, 197.5])
})

it('pastes what it keeps to the bit', () => {
  const drawn = drawPicture('mask.drawn', 6, 4, 3)
  const source = drawPicture('mask.kept', 6, 4, 3)
  const paste = (mask: PixelImage) => pasteThrough({ ...drawn, data: drawn.data.slice() }, source, mask).data
  const even = (level: number) => grey(6, 4, Array(24).fill(level) as number[])
  expect(paste(even(0))).toEqual(source.data)
  expect(paste(even(255))).toEqual(drawn.data)
  for (const [i, level] of paste(even(51)).entries()) {
    expect(level).toBe(Math.round(0.2 * drawn.data[i]! + 0.8 * source.data[i]!))
  }
  // Of half the size: the outer columns are those of its outer pixels alone.
  const halved = paste(grey(3, 2, [0, 100, 255, 0, 200, 255]))
  for (let row = 0; row < 4; row++) {
    const at = (column: number) => [3 * (6 * row + column), 3 * (6 * row + column) + 3] as const
    expect(halved.slice(...at(0))).toEqual(source.data.slice(...at(0)))
    expect(halved.slice(...at(5))).toEqual(drawn.data.slice(...at(5)))
  }
})
