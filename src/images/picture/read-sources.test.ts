import fc from 'fast-check'
import sharp from 'sharp'
import { beforeAll, describe, expect, it } from 'vitest'
import { pngHeader, readPngChunks, writePng, zipBomb } from '../../../test/helpers/png-chunks.ts'
import { drawPicture } from '../../../test/helpers/pseudo-random.ts'
import { TesseraError } from '../../errors/index.ts'
import { readSources } from './read-sources.ts'
import { sharpCodec } from './sharp-codec.ts'

const REQUEST = { prompt: 'x', n: 1 }
const base64 = (file: Uint8Array) => Buffer.from(file).toString('base64')
const read = (image: string) => readSources({ ...REQUEST, image }, sharpCodec)
const make = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 100, b: 50 } } })
/** A file that says to have many pixels, and has none. */
const claim = (width: number, height: number) =>
  base64(writePng([pngHeader(width, height), { tag: 'IDAT', data: Buffer.alloc(9) }]))

let png: Buffer
let jpeg: Buffer
let webp: Buffer
beforeAll(async () => {
  const noise = sharp(drawPicture('source', 80, 70, 3).data, { raw: { width: 80, height: 70, channels: 3 } })
  ;[png, jpeg, webp] = await Promise.all([noise.png().toBuffer(), noise.jpeg().toBuffer(), noise.webp().toBuffer()])
})

describe('sources are read', () => {
  it('from base64 and from data URLs, whatever type these claim', async () => {
    const [picture] = await read(base64(png))
    expect([picture!.width, picture!.height, picture!.channels]).toEqual([80, 70, 3])
    for (const head of ['data:image/png;base64,', 'DATA:image/jpeg;charset=x;BASE64,', 'data:;base64,']) {
      expect(await read(head + base64(png))).toEqual([picture])
    }
    expect(await read(base64(png).replace(/.{76}/g, '$&\r\n'))).toEqual([picture])
  })

  it('in their order', async () => {
    const files = await Promise.all([64, 72, 80].map((width) => make(width, 64).jpeg().toBuffer()))
    const pictures = await readSources({ ...REQUEST, images: files.map(base64) }, sharpCodec)
    expect(pictures.map(({ width }) => width)).toEqual([64, 72, 80])
  })
})

/** The last scan of a progressive JPEG many times over, which decoders take. */
async function repeatScan(times: number): Promise<Buffer> {
  const file = await make(64, 64).jpeg({ progressive: true }).toBuffer()
  const start = file.lastIndexOf(Buffer.of(0xff, 0xda))
  const scan = file.subarray(start, -2)
  return Buffer.concat([file.subarray(0, start), ...Array.from({ length: times }, () => scan), Buffer.of(0xff, 0xd9)])
}

it('takes a progressive JPEG, if not one of hundreds of scans', async () => {
  await expect(read(base64(await repeatScan(1)))).resolves.toHaveLength(1)
  await expect(read(base64(await repeatScan(200)))).rejects.toThrow(
    /image: must be a JPEG of at most 100 scans, got 2\d\d/,
  )
})

describe('takes a JPEG of many segments, if not of thousands, each of which decoders keep', () => {
  it.each([
    ['before its size', 2],
    ['behind it', -1],
  ])('%s', async (_, place) => {
    const file = await make(64, 64).jpeg().toBuffer()
    const at = place < 0 ? file.lastIndexOf(Buffer.of(0xff, 0xda)) : place
    const withComments = (count: number) =>
      Buffer.concat([file.subarray(0, at), Buffer.alloc(4 * count, Buffer.of(0xff, 0xfe, 0, 2)), file.subarray(at)])
    await expect(read(base64(withComments(2000)))).resolves.toHaveLength(1)
    await expect(read(base64(withComments(1_000_000)))).rejects.toThrow(
      'image: must be a JPEG of at most 5000 segments, got more',
    )
  })
})

describe('a source is refused by name when it is', () => {
  it.each<[string, () => string | Promise<string>, RegExp]>([
    ['no base64', () => 'not a picture!', /must be base64 or a data URL/],
    ['empty', () => 'data:image/png;base64,', /PNG, JPEG or WebP file, got 0 bytes/],
    ['a data URL in another encoding', () => 'data:image/png,%89PNG', /data URL in base64/],
    ['text', () => base64(Buffer.from('hello')), /PNG, JPEG or WebP file, got 5 bytes/],
    ['a GIF', async () => base64(await make(64, 64).gif().toBuffer()), /PNG, JPEG or WebP file, got a GIF file/],
    ['a TIFF', async () => base64(await make(64, 64).tiff().toBuffer()), /PNG, JPEG or WebP file, got a TIFF file/],
    ['an SVG', () => base64(Buffer.from('<svg width="99" height="99"/>')), /PNG, JPEG or WebP file, got an SVG/],
    ['a photo of a phone', () => base64(Buffer.from('\0\0\0\x18ftypheic\0\0\0\0')), /got a HEIC file/],
    ['AVIF', async () => base64(await make(64, 64).avif().toBuffer()), /got an AVIF file/],
    ['a page that was loaded in its place', () => base64(Buffer.from('\n<!DOCTYPE html><p>')), /got a web page/],
    ['cut off within its header', () => base64(png.subarray(0, 20)), /got a PNG file whose header is damaged/],
    ['too small', async () => base64(await make(63, 100).png().toBuffer()), /at least 64 pixels, got 63x100/],
    ['too long', async () => base64(await make(1000, 64).png().toBuffer()), /8 times the other, got 1000x64/],
    ['a header alone', () => claim(64, 64), /damaged/],
    ['a pixel bomb', () => claim(60_000, 60_000), /50 million pixels, got 360[01]/],
    ['of a negative size', () => claim(2 ** 32 - 1, 2 ** 31), /50 million pixels/],
  ])('%s', async (_, source, reason) => {
    const image = await source()
    const refusal = { code: 'invalid_request', reason: expect.stringMatching(reason) }
    await expect(read(image)).rejects.toMatchObject({ ...refusal, path: 'image' })
    const several = readSources({ ...REQUEST, images: [base64(jpeg), image] }, sharpCodec)
    await expect(several).rejects.toMatchObject({ ...refusal, path: 'images.1' })
  })

  it('an animation', async () => {
    const frames = await Promise.all([make(64, 64).png().toBuffer(), make(64, 64).negate().png().toBuffer()])
    const image = base64(
      await sharp(frames, { join: { animated: true } })
        .webp()
        .toBuffer(),
    )
    await expect(read(image)).rejects.toMatchObject({ path: 'image', reason: expect.stringContaining('an animation') })
  })

  it.each(['png', 'jpeg', 'webp'])('a %s that ends too early', async (format) => {
    const file = { png, jpeg, webp }[format]!
    const image = base64(file.subarray(0, Math.floor(file.length * 0.7)))
    await expect(read(image)).rejects.toMatchObject({ path: 'image', reason: expect.stringContaining('damaged') })
  })
})

it('refuses a source that decodes to another size than its header says, whichever way it is turned', async () => {
  const decodingTo = (width: number, height: number) => ({
    ...sharpCodec,
    decode: async () => ({ width, height, channels: 3 as const, data: new Uint8Array(3 * width * height) }),
  })
  const readAs = (width: number, height: number) =>
    readSources({ ...REQUEST, images: [base64(png)] }, decodingTo(width, height))
  await expect(readAs(80, 70)).resolves.toHaveLength(1)
  await expect(readAs(70, 80)).resolves.toHaveLength(1)
  for (const [width, height] of [
    [800, 700],
    [80, 71],
    [70, 70],
    [80, 80],
  ] as const) {
    const reason = `must be of the size that its header says, 80x70, got ${width}x${height}`
    await expect(readAs(width, height)).rejects.toMatchObject({ code: 'invalid_request', path: 'images.0', reason })
  }
})

it('takes pictures that a camera has turned', async () => {
  const [picture] = await read(base64(await make(100, 64).jpeg().withMetadata({ orientation: 6 }).toBuffer()))
  expect([picture!.width, picture!.height]).toEqual([64, 100])
})

it('counts the pixels of all sources before it decodes any', async () => {
  let decoded = 0
  const codec = { ...sharpCodec, decode: () => (decoded++, Promise.reject(new Error('decoded'))) }
  const large = claim(5000, 6000)
  const call = readSources({ ...REQUEST, images: [large, large] }, codec)
  await expect(call).rejects.toMatchObject({ path: 'images.1', reason: expect.stringContaining('got 60') })
  expect(decoded).toBe(0)
})

it.each(['zTXt', 'iCCP'] as const)('does not unpack a bomb in a %s chunk', async (tag) => {
  const [header, ...rest] = readPngChunks(png)
  const image = base64(writePng([header!, zipBomb(tag, 400), ...rest]))
  const before = process.memoryUsage().rss
  const pictures = await read(image).catch((error: unknown) => error)
  expect(process.memoryUsage().rss - before).toBeLessThan(200e6)
  // Ignoring the chunk and refusing the file are both right.
  if (!Array.isArray(pictures)) expect(pictures).toMatchObject({ code: 'invalid_request', path: 'image' })
})

it('gives a picture or a typed error for any damage, and never its content', async () => {
  const damage = fc.record({
    file: fc.constantFrom('png', 'jpeg', 'webp'),
    changes: fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }),
    length: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  await fc.assert(
    fc.asyncProperty(damage, async ({ file: format, changes, length }) => {
      const file = Buffer.from({ png, jpeg, webp }[format]!)
      // One change of three hits the headers.
      for (const [at, byte] of changes) file[at % (at % 3 === 0 ? 100 : file.length)] = byte
      const image = base64(file.subarray(0, Math.ceil(file.length * length)))
      const [picture] = await read(image || 'AA==').catch((error: unknown) => {
        expect(TesseraError.isInstance(error) && error.code).toBe('invalid_request')
        expect(String(error)).not.toContain(image.slice(0, 20) || 'nothing')
        return []
      })
      if (picture) expect(picture.data).toHaveLength(picture.width * picture.height * 3)
    }),
    { numRuns: 150 },
  )
})

it('gives a typed error for any text', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ minLength: 1, unit: 'binary' }), async (text) => {
      await expect(read(text)).rejects.toMatchObject({ code: 'invalid_request', path: 'image' })
    }),
  )
})
