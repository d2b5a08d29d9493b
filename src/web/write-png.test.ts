import { expect, it } from 'vitest'
import { drawPicture } from '../../test/helpers/pseudo-random.ts'
import { sharpCodec } from '../images/picture/sharp-codec.ts'
import { writePng } from './write-png.ts'

it.each([
  [70, 65, 3],
  [1, 1, 3],
  [64, 48, 4],
] as const)('writes %d x %d pixels of %d channels, of which Node reads the same', async (width, height, channels) => {
  const drawn = drawPicture('written', width, height, channels)
  const file = await writePng(drawn)
  const read = channels === 4 ? sharpCodec.decodeMask(file) : sharpCodec.decode(file)
  expect(await read).toEqual({ ...drawn, data: Buffer.from(drawn.data) })
})

it('filters rows, so that what changes slowly takes little room', async () => {
  const [width, height] = [256, 256]
  const data = Uint8Array.from({ length: width * height * 3 }, (_, at) => Math.floor(at / 3) % width)
  expect((await writePng({ width, height, channels: 3, data })).length).toBeLessThan(2000)
})
