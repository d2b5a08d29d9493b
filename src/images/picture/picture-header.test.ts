import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { readPictureHeader } from './picture-header.ts'

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: { r: 200, g: 100, b: 50, alpha: 0.5 } } })
const FORMATS = {
  PNG: (width: number, height: number) => picture(width, height).png(),
  'interlaced PNG': (width: number, height: number) => picture(width, height).png({ progressive: true, palette: true }),
  JPEG: (width: number, height: number) => picture(width, height).jpeg(),
  'progressive JPEG with EXIF and profile': (width: number, height: number) =>
    picture(width, height).jpeg({ progressive: true }).withMetadata({ orientation: 6 }).withIccProfile('p3'),
  'lossy WebP': (width: number, height: number) => picture(width, height).flatten().webp(),
  'lossless WebP': (width: number, height: number) => picture(width, height).flatten().webp({ lossless: true }),
  'WebP with alpha and profile': (width: number, height: number) => picture(width, height).webp().withIccProfile('p3'),
}

describe.each(Object.entries(FORMATS))('the header of a %s', (_, make) => {
  it.each([
    [1, 1],
    [77, 300],
    [4000, 17],
  ])('says %d x %d', async (width, height) => {
    const file = await make(width, height).toBuffer()
    expect(readPictureHeader(file)).toMatchObject({ width, height, animated: false })
  })

  it('is read without what comes after it, and never beyond the end', async () => {
    const file = await make(40, 30).toBuffer()
    for (let length = 0; length < Math.min(file.length, 1000); length++) {
      const header = readPictureHeader(file.subarray(0, length))
      if (header) expect(header).toMatchObject({ width: 40, height: 30, animated: false })
    }
  })
})

it('counts the scans of a JPEG, and those that are there of a damaged one', async () => {
  const plain = await picture(40, 30).jpeg().toBuffer()
  expect(readPictureHeader(plain)).toMatchObject({ scans: 1 })
  const progressive = await picture(40, 30).jpeg({ progressive: true }).toBuffer()
  const starts = [...progressive.keys()].filter((at) => progressive[at] === 0xff && progressive[at + 1] === 0xda)
  expect(readPictureHeader(progressive)).toMatchObject({ scans: starts.length })
  expect(readPictureHeader(progressive.subarray(0, starts.at(-1)))).toMatchObject({ scans: starts.length - 1 })
})

it('tells animations from stills', async () => {
  const frames = await Promise.all(
    ['#f00', '#00f'].map((background) =>
      sharp({ create: { width: 20, height: 10, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  )
  const webp = await sharp(frames, { join: { animated: true } })
    .webp()
    .toBuffer()
  expect(readPictureHeader(webp)).toEqual({ width: 20, height: 10, animated: true })
  // An APNG is a PNG with an animation control chunk behind its header, which takes 33 bytes with the signature.
  const control = Buffer.alloc(20)
  control.writeUInt32BE(8)
  control.write('acTL', 4)
  const apng = Buffer.concat([frames[0]!.subarray(0, 33), control, frames[0]!.subarray(33)])
  expect(readPictureHeader(apng)).toEqual({ width: 20, height: 10, animated: true })
})

describe('a JPEG', () => {
  const segment = (marker: number, length: number) => {
    const bytes = Buffer.alloc(2 + length)
    bytes.writeUInt16BE(0xff00 | marker)
    bytes.writeUInt16BE(length, 2)
    return bytes
  }
  const frame = (width: number, height: number) => {
    const bytes = segment(0xc0, 17)
    bytes.writeUInt16BE(height, 5)
    bytes.writeUInt16BE(width, 7)
    return bytes
  }
  const START = Buffer.of(0xff, 0xd8)

  it.each([0x01, 0xd0, 0xd7])('has its frame where decoders find it, after a marker %i without a length', (alone) => {
    // With a length the marker would reach over the next one, FFEF, into that one's content: to a frame that is none.
    const content = segment(0xef, 0xfffd)
    frame(100, 100).copy(content, 2 + 0xffef - 2)
    const file = Buffer.concat([START, Buffer.of(0xff, alone), content, frame(9000, 8000)])
    expect(readPictureHeader(file)).toMatchObject({ width: 9000, height: 8000, animated: false })
  })

  it('has its frame behind bytes between segments, as decoders find it', () => {
    const stray = [Buffer.of(7), Buffer.of(0xff, 0x00), Buffer.of(0, 0xff, 0xff)]
    for (const bytes of stray) {
      const file = Buffer.concat([START, bytes, segment(0xdb, 67), bytes, frame(900, 800)])
      expect(readPictureHeader(file)).toMatchObject({ width: 900, height: 800 })
    }
  })

  it.each([0xd8, 0xd9, 0xda])('has no frame after %i', (marker) => {
    const file = Buffer.concat([START, segment(marker, 2), frame(100, 100)])
    expect(readPictureHeader(file)).toBeUndefined()
  })
})

it('knows no other formats', async () => {
  const gif = await picture(8, 8).gif().toBuffer()
  const tiff = await picture(8, 8).tiff().toBuffer()
  const avif = await picture(16, 16).avif().toBuffer()
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>')
  for (const file of [gif, tiff, avif, svg, Buffer.alloc(0), Buffer.from('%PDF-1.7')]) {
    expect(readPictureHeader(file)).toBeUndefined()
  }
})

it('takes any bytes without an error or an endless loop', () => {
  const starts = ['\x89PNG\r\n\x1a\n', '\xff\xd8\xff', 'RIFF\0\0\0\0WEBPVP8X', ''].map((text) =>
    Buffer.from(text, 'latin1'),
  )
  fc.assert(
    fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 200 }), (start, rest) => {
      const header = readPictureHeader(Uint8Array.from([...start, ...rest]))
      if (header) expect(header.width).toBeGreaterThanOrEqual(0)
    }),
    { numRuns: 2000 },
  )
})
