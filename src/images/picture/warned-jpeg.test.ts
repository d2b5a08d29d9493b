import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { drawPicture } from '../../../test/helpers/pseudo-random.ts'
import { readSources } from './read-sources.ts'
import { sharpCodec } from './sharp-codec.ts'

/** As phones write it: a sequential scan that says to end at the first coefficient of 64. */
function endSpectrumEarly(jpeg: Buffer): Buffer {
  const changed = Buffer.from(jpeg)
  const scan = changed.indexOf(Buffer.of(0xff, 0xda))
  const end = scan + changed.readUInt16BE(scan + 2)
  expect(changed[end]).toBe(63)
  changed[end] = 0
  return changed
}

function insertBefore(jpeg: Buffer, marker: number, bytes: readonly number[]): Buffer {
  const at = jpeg.indexOf(Buffer.of(0xff, marker))
  return Buffer.concat([jpeg.subarray(0, at), Buffer.from(bytes), jpeg.subarray(at)])
}

/** A segment of Adobe's, whose last byte is the transform of the colours. */
const ADOBE = [0xff, 0xee, 0, 14, ...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, 0]

/** A segment of JFIF, version 9. */
const JFIF_9 = [0xff, 0xe0, 0, 16, ...Buffer.from('JFIF\0'), 9, 1, 0, 0, 1, 0, 1, 0, 0]

describe('JPEG files that are whole, whatever libjpeg warns of', () => {
  const picture = drawPicture('warned', 64, 64, 3)
  const whole = () => sharp(picture.data, { raw: picture }).jpeg({ quality: 90 }).toBuffer()

  it.each<[string, (jpeg: Buffer) => Buffer]>([
    ['a scan that says to end early', endSpectrumEarly],
    ['bytes before its tables', (jpeg) => insertBefore(jpeg, 0xdb, [0, 0])],
    ['a zero marker before its tables', (jpeg) => insertBefore(jpeg, 0xdb, [0xff, 0])],
    ['bytes before its frame', (jpeg) => insertBefore(jpeg, 0xc0, [0, 0])],
    ['bytes before its scan', (jpeg) => insertBefore(jpeg, 0xda, [0, 0])],
    ['a version that there is not', (jpeg) => insertBefore(jpeg, 0xdb, JFIF_9)],
  ])('with %s are decoded', async (_, change) => {
    const jpeg = await whole()
    const changed = change(jpeg)
    await expect(sharp(changed, { failOn: 'warning' }).raw().toBuffer()).rejects.toThrow('VipsJpeg')
    const sources = await readSources({ prompt: 'x', n: 1, image: changed }, sharpCodec)
    expect(sources).toEqual([await sharpCodec.decode(jpeg)])
    await expect(sharpCodec.decode(changed.subarray(0, -200))).rejects.toThrow('premature end')
    const damaged = Buffer.concat([changed.subarray(0, -200), changed.subarray(-2)])
    await expect(sharpCodec.decode(damaged)).rejects.toThrow('premature end of data segment')
  })

  it.each([
    [1, 'srgb', 2],
    [1, 'srgb', 7],
    [2, 'cmyk', 1],
    [2, 'cmyk', 7],
  ] as const)(
    'with the transform %i of Adobe (%s) are decoded where they name one that there is not, %i',
    async (known, space, unknown) => {
      const jpeg = await sharp(await whole())
        .toColourspace(space)
        .jpeg()
        .toBuffer()
      const plain = space === 'cmyk' ? jpeg : insertBefore(jpeg, 0xdb, ADOBE)
      const naming = (code: number) => {
        const named = Buffer.from(plain)
        named[named.indexOf('Adobe') + 11] = code
        return named
      }
      await expect(sharp(naming(unknown), { failOn: 'warning' }).raw().toBuffer()).rejects.toThrow('VipsJpeg')
      const after = insertBefore(naming(unknown), 0xdb, [0, 0])
      for (const file of [naming(unknown), after]) {
        expect(await sharpCodec.decode(file)).toEqual(await sharpCodec.decode(naming(known)))
      }
    },
  )

  it('with several scans are decoded, and refused for bytes between these', async () => {
    const jpeg = await sharp(await whole())
      .jpeg({ progressive: true })
      .toBuffer()
    const before = insertBefore(jpeg, 0xda, [0, 0])
    expect(await sharpCodec.decode(before)).toEqual(await sharpCodec.decode(jpeg))
    const second = jpeg.indexOf(Buffer.of(0xff, 0xc4), jpeg.indexOf(Buffer.of(0xff, 0xda)))
    const between = Buffer.concat([jpeg.subarray(0, second), Buffer.alloc(32), jpeg.subarray(second)])
    await expect(sharpCodec.decode(between)).rejects.toThrow('extraneous bytes before marker')
  })

  it.each([8, 500])('with several scans and %i zeros before their end are decoded', async (zeros) => {
    const jpeg = await sharp(await whole())
      .jpeg({ progressive: true })
      .toBuffer()
    const end = jpeg.length - 2
    const pad = (bytes: Buffer) => Buffer.concat([jpeg.subarray(0, end), bytes, jpeg.subarray(end)])
    const padded = pad(Buffer.alloc(zeros))
    await expect(sharp(padded, { failOn: 'warning' }).raw().toBuffer()).rejects.toThrow('before marker 0xd9')
    expect(await sharpCodec.decode(padded)).toEqual(await sharpCodec.decode(jpeg))
    expect(await sharpCodec.decode(Buffer.concat([padded, Buffer.alloc(9)]))).toEqual(await sharpCodec.decode(jpeg))
    // Data that the scan has no use for were read wrongly before.
    await expect(sharpCodec.decode(pad(Buffer.alloc(zeros, 1)))).rejects.toThrow('before marker 0xd9')
    const damaged = Buffer.concat([jpeg.subarray(0, end - 200), padded.subarray(end)])
    await expect(sharpCodec.decode(damaged)).rejects.toThrow('premature end of data segment')
  })

  it('keep a last zero that belongs to their data', async () => {
    // With the usual tables a flat corner ends in eight bits of zero, which some pictures have in one byte.
    const ending = async (number: number) => {
      const { data, ...size } = drawPicture(`flat ${number}`, 64, 64, 3)
      data.fill(255, 3 * 64 * 48)
      const jpeg = await sharp(data, { raw: size }).jpeg({ optimiseCoding: false }).toBuffer()
      return jpeg.at(-3) === 0 ? jpeg : undefined
    }
    const found = (await Promise.all(Array.from({ length: 100 }, (_, number) => ending(number)))).filter(
      (jpeg) => jpeg !== undefined,
    )
    expect(found.length).toBeGreaterThan(0)
    for (const jpeg of found) {
      expect(await sharpCodec.decode(endSpectrumEarly(jpeg))).toEqual(await sharpCodec.decode(jpeg))
    }
  })

  it('are refused where the warning is about their pixels', async () => {
    const jpeg = await whole()
    const damaged = Buffer.concat([jpeg.subarray(0, -200), jpeg.subarray(-2)])
    await expect(sharpCodec.decode(damaged)).rejects.toThrow('premature end of data segment')
  })
})
