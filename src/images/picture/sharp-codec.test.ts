import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { describe, expect, it } from 'vitest'
import { readPngChunks, writePng } from '../../../test/helpers/png-chunks.ts'
import { drawPicture } from '../../../test/helpers/pseudo-random.ts'
import { sharpCodec } from './sharp-codec.ts'

const SIZE = { width: 8, height: 6 }
const COLOUR = { r: 200, g: 100, b: 50 }
const plain = () => sharp({ create: { ...SIZE, channels: 3, background: COLOUR } })
const half = () => sharp({ create: { ...SIZE, channels: 4, background: { ...COLOUR, alpha: 0.5 } } })

async function firstPixel(file: Buffer): Promise<number[]> {
  const { width, height, channels, data } = await sharpCodec.decode(file)
  expect([width, height, channels, data.length]).toEqual([8, 6, 3, 8 * 6 * 3])
  return [...data.subarray(0, 3)]
}

/** A PNG with a profile for values that are not converted to it. */
async function describeAs(image: Sharp, profile: string): Promise<Buffer> {
  const [header, ...rest] = readPngChunks(await image.png().toBuffer())
  const described = readPngChunks(await plain().withIccProfile(profile).png().toBuffer())
  return writePng([header!, described.find(({ tag }) => tag === 'iCCP')!, ...rest])
}

/** A profile (ICC.1, version 2) of grey values to the power of `gamma`. */
function createGreyProfile(gamma: number): Buffer {
  const curve = Buffer.alloc(16)
  curve.write('curv')
  curve.writeUInt32BE(1, 8)
  curve.writeUInt16BE(Math.round(gamma * 256), 12)
  const white = Buffer.alloc(20)
  white.write('XYZ ')
  for (const [index, value] of [0.9642, 1, 0.8249].entries())
    white.writeInt32BE(Math.round(value * 65536), 8 + 4 * index)
  const tags = [
    ['kTRC', curve],
    ['wtpt', white],
  ] as const
  const table = Buffer.alloc(4 + 12 * tags.length)
  table.writeUInt32BE(tags.length)
  let offset = 128 + table.length
  for (const [index, [name, data]] of tags.entries()) {
    table.write(name, 4 + 12 * index)
    table.writeUInt32BE(offset, 8 + 12 * index)
    table.writeUInt32BE(data.length, 12 + 12 * index)
    offset += data.length
  }
  const header = Buffer.alloc(128)
  header.writeUInt32BE(offset)
  header.writeUInt32BE(0x02100000, 8)
  header.write('mntrGRAYXYZ ', 12)
  header.write('acsp', 36)
  white.copy(header, 68, 8)
  return Buffer.concat([header, table, curve, white])
}

describe('decoding gives sRGB of 8 bits from', () => {
  it.each<[string, Sharp, number[], number]>([
    ['PNG', plain().png(), [200, 100, 50], 0],
    ['a palette', plain().png({ palette: true }), [200, 100, 50], 0],
    ['16 bits', plain().toColourspace('rgb16').png(), [200, 100, 50], 0],
    ['JPEG', plain().jpeg({ quality: 100 }), [200, 100, 50], 2],
    ['CMYK', plain().toColourspace('cmyk').jpeg({ quality: 100 }), [200, 100, 50], 2],
    ['WebP', plain().webp({ lossless: true }), [200, 100, 50], 0],
    ['a profile of another gamut', plain().withIccProfile('p3').png(), [200, 100, 50], 1],
    ['transparency, on white', half().png(), [227, 177, 152], 1],
    ['transparency in WebP, on white', half().webp({ lossless: true }), [227, 177, 152], 1],
    ['transparency in 16 bits, on white', half().toColourspace('rgb16').png(), [227, 177, 152], 1],
  ])('%s', async (_, image, wanted, tolerance) => {
    const pixel = await firstPixel(await image.toBuffer())
    for (const [channel, level] of wanted.entries()) {
      expect(Math.abs(pixel[channel]! - level)).toBeLessThanOrEqual(tolerance)
    }
  })

  it.each<[string, Sharp]>([
    ['grey PNG', plain().greyscale().png()],
    ['grey JPEG', plain().greyscale().jpeg({ quality: 100 })],
    ['grey of 16 bits', plain().toColourspace('grey16').png()],
    ['grey on white where transparent', half().greyscale().png()],
  ])('%s', async (_, image) => {
    const [red, green, blue] = await firstPixel(await image.toBuffer())
    expect([green, blue]).toEqual([red, red])
    expect(red).toBeGreaterThan(100)
    expect(red).toBeLessThan(200)
  })

  it.each<[string, string, Sharp, number[]]>([
    ['8 bits', 'srgb', plain(), [200, 100, 50]],
    ['16 bits', 'srgb', plain().toColourspace('rgb16'), [200, 100, 50]],
    ['8 bits', 'p3', plain(), [215, 93, 32]],
    ['16 bits', 'p3', plain().toColourspace('rgb16'), [215, 93, 32]],
    ['transparency', 'p3', half(), [234, 173, 143]],
    ['transparency in 16 bits', 'p3', half().toColourspace('rgb16'), [234, 173, 143]],
  ])('%s that a profile calls %s', async (_, profile, image, wanted) => {
    expect(await firstPixel(await describeAs(image, profile))).toEqual(wanted)
  })

  it.each([
    [1, 8],
    [1.8, 8],
    [1, 16],
    [1.8, 16],
  ])('grey that a profile gives the gamma %d, of %i bits', async (gamma, bits) => {
    const linear = (128 / 255) ** gamma
    const wanted = 255 * (1.055 * linear ** (1 / 2.4) - 0.055)
    const profile = Buffer.concat([Buffer.from('grey\0\0'), deflateSync(createGreyProfile(gamma))])
    const describe = async (background: { r: number; g: number; b: number; alpha: number }) => {
      const grey = sharp({ create: { ...SIZE, channels: 4, background } }).toColourspace(bits === 8 ? 'b-w' : 'grey16')
      const opaque = background.alpha === 1 ? grey.removeAlpha() : grey
      const [header, ...rest] = readPngChunks(await opaque.png().toBuffer())
      return writePng([header!, { tag: 'iCCP', data: profile }, ...rest])
    }
    const grey = { r: 128, g: 128, b: 128 }
    for (const level of await firstPixel(await describe({ ...grey, alpha: 1 })))
      expect(Math.abs(level - wanted)).toBeLessThanOrEqual(1)
    const half = await describe({ ...grey, alpha: 0.5 })
    for (const level of await firstPixel(half)) expect(Math.abs(level - (wanted + 255) / 2)).toBeLessThanOrEqual(2)
    const { data } = await sharpCodec.decodeMask(half)
    for (const level of data.subarray(0, 3)) expect(Math.abs(level - wanted)).toBeLessThanOrEqual(1)
    expect(Math.abs(data[3]! - 128)).toBeLessThanOrEqual(1)
  })

  it('the raw values of another gamut, which are not the same as those in sRGB', async () => {
    const file = await plain().withIccProfile('p3').png().toBuffer()
    const { data } = await sharp(file, { ignoreIcc: true }).raw().toBuffer({ resolveWithObject: true })
    expect([...data.subarray(0, 3)]).not.toEqual([200, 100, 50])
  })
})

it('keeps nothing of a picture in the process', async () => {
  await sharpCodec.decode(await plain().png().toBuffer())
  expect(sharp.cache()).toMatchObject({ memory: { current: 0, max: 0 }, items: { current: 0, max: 0 } })
})

it('turns pictures upright as their camera noted', async () => {
  const red = await sharp({ create: { width: 4, height: 2, channels: 3, background: '#000' } })
    .composite([{ input: { create: { width: 1, height: 2, channels: 3, background: '#f00' } }, left: 0, top: 0 }])
    .withMetadata({ orientation: 6 })
    .png()
    .toBuffer()
  const { width, height, data } = await sharpCodec.decode(red)
  expect([width, height]).toEqual([2, 4])
  // The left column has become the upper row.
  expect([...data.subarray(0, 6)]).toEqual([255, 0, 0, 255, 0, 0])
  expect(Math.max(...data.subarray(6))).toBe(0)
})

describe('encoding', () => {
  const picture = drawPicture('encode', 50, 40, 3)

  it('gives a PNG with the same pixels', async () => {
    expect(await sharpCodec.decode(await sharpCodec.encode(picture))).toEqual({ ...picture, data: expect.anything() })
    const { data } = await sharpCodec.decode(await sharpCodec.encode(picture))
    expect(Uint8Array.from(data)).toEqual(picture.data)
  })

  it('gives the same bytes each time, with no words, times or profiles in them', async () => {
    const files = await Promise.all([sharpCodec.encode(picture), sharpCodec.encode(picture)])
    const digests = files.map((file) => createHash('sha256').update(file).digest('hex'))
    expect(digests[0]).toBe(digests[1])
    const tags = readPngChunks(Buffer.from(files[0]!)).map(({ tag }) => tag)
    expect(tags.filter((tag) => !['IHDR', 'pHYs', 'IDAT', 'IEND'].includes(tag))).toEqual([])
  })
})
