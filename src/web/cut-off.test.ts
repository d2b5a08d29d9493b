import sharp from 'sharp'
import { expect, it } from 'vitest'
import { drawPicture } from '../../test/helpers/pseudo-random.ts'
import { isCutOff } from './cut-off.ts'

const { data, ...size } = drawPicture('cut off', 96, 68, 3)
const draw = () => sharp(data, { raw: size })

it.each([
  ['a PNG', () => draw().png()],
  ['a JPEG', () => draw().jpeg()],
  ['a progressive JPEG', () => draw().jpeg({ progressive: true })],
  ['a WebP', () => draw().webp()],
] as const)('%s is cut off where it has no end', async (_, make) => {
  const file = await make().toBuffer()
  expect(isCutOff(file)).toBe(false)
  expect(isCutOff(Buffer.concat([file, Buffer.from('what cameras put behind it')]))).toBe(false)
  for (const share of [0, 0.01, 0.5, 0.9]) expect(isCutOff(file.subarray(0, share * file.length))).toBe(true)
})

it('the end of a thumbnail is not that of its JPEG', async () => {
  const file = await draw().jpeg().toBuffer()
  const thumbnail = Buffer.concat([Buffer.from([0xff, 0xe1, 0, 6]), Buffer.from([0xff, 0xd8, 0xff, 0xd9])])
  const carrying = Buffer.concat([file.subarray(0, 2), thumbnail, file.subarray(2)])
  expect(isCutOff(carrying)).toBe(false)
  expect(isCutOff(carrying.subarray(0, -2))).toBe(true)
})

it.each([0xdb, 0xc0, 0xc4, 0xda])('a JPEG with bytes before a marker %i is whole', async (marker) => {
  const file = await draw().jpeg().toBuffer()
  const at = file.indexOf(Buffer.of(0xff, marker))
  const stray = Buffer.concat([file.subarray(0, at), Buffer.of(7, 0), file.subarray(at)])
  expect(isCutOff(stray)).toBe(false)
  expect(isCutOff(stray.subarray(0, -2))).toBe(true)
})
