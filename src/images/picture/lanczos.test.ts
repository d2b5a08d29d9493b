import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { imageFixture } from '../../../test/helpers/image-bundle.ts'
import { drawPicture } from '../../../test/helpers/pseudo-random.ts'
import { resizeInTurns, resizeLanczos } from './lanczos.ts'
import { toPlanes } from './pixel-image.ts'
import { prepareReference } from './reference-image.ts'

interface Pixels {
  readonly resized: readonly { size: [number, number]; target: [number, number]; channels: 3 | 4; sha256: string }[]
  readonly references: readonly { size: [number, number]; channels: 3 | 4; result: [number, number]; sha256: string }[]
}

const pixels = JSON.parse(readFileSync(imageFixture('pixels.json'), 'utf8')) as Pixels

function digest(values: Uint8Array | Float32Array): string {
  return createHash('sha256').update(values).digest('hex')
}

describe('resizing gives the bytes that Pillow gives', () => {
  it.each(pixels.resized.map((row, i) => ({ i, ...row })))('from $size to $target, $channels channels', (row) => {
    const resized = resizeLanczos(drawPicture(`resize.${row.i}`, ...row.size, row.channels), ...row.target)
    expect([resized.width, resized.height]).toEqual(row.target)
    expect(digest(resized.data)).toBe(row.sha256)
  })
})

describe('a large picture', () => {
  it.each([3, 4] as const)(
    'of %i channels gives others their turns on the way, and the same bytes',
    async (channels) => {
      const picture = drawPicture('large', 300, 200, channels)
      const now = vi.spyOn(performance, 'now')
      let turns = 0
      // Every look at the clock is 50 ms after the last.
      let clock = 0
      now.mockImplementation(() => (clock += 50))
      const resized = await resizeInTurns(picture, { width: 64, height: 48 }, async () => void turns++)
      now.mockRestore()
      expect(turns).toBeGreaterThan(30)
      expect(resized).toEqual(resizeLanczos(picture, 64, 48))
    },
  )

  it('that is stopped on the way is given up', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValueOnce(1000)
    const turn = () => Promise.reject(new Error('stopped'))
    await expect(resizeInTurns(drawPicture('large', 300, 200, 3), { width: 64, height: 48 }, turn)).rejects.toThrow(
      'stopped',
    )
    now.mockRestore()
  })
})

describe('references are prepared as by the reference pipeline, to the last bit', () => {
  it.each(pixels.references.map((row, i) => ({ i, ...row })))('$size, $channels channels', (row) => {
    const prepared = prepareReference(drawPicture(`reference.${row.i}`, ...row.size, row.channels), 16)
    expect([prepared.width, prepared.height]).toEqual(row.result)
    expect(digest(toPlanes(prepared))).toBe(row.sha256)
  })

  it.each([
    [63, 100],
    [100, 63],
    [1000, 120],
  ])('refuses %d x %d', (width, height) => {
    expect(() => prepareReference(drawPicture('small', width, height, 3), 16)).toThrow(/at least 64|8 times/)
  })
})
