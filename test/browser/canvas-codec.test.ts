import { build } from 'esbuild'
import { type Browser, chromium, type Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sharpCodec } from '../../src/images/picture/sharp-codec.ts'
import type { canvasCodec } from '../../src/web/canvas-codec.ts'
import { findChromium } from '../helpers/chromium.ts'
import { pictureDifference } from '../helpers/picture-difference.ts'
import { drawPicture } from '../helpers/pseudo-random.ts'

declare global {
  var codec: { readonly canvasCodec: typeof canvasCodec }
}

const executablePath = findChromium()

/** What the two decoders of JPEG may differ by. */
const LEVELS = 12
const FORMATS = ['jpeg', 'png', 'webp'] as const

describe.skipIf(executablePath === undefined)('the codec of browsers', () => {
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    const { outputFiles } = await build({
      entryPoints: ['src/web/canvas-codec.ts'],
      bundle: true,
      write: false,
      format: 'iife',
      globalName: 'codec',
      target: 'es2023',
    })
    browser = await chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] })
    page = await browser.newPage()
    await page.evaluate(`${outputFiles[0]!.text};globalThis.codec = codec`)
  })
  afterAll(() => browser?.close())

  const decode = (file: Buffer) =>
    page.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
      const picture = await codec.canvasCodec.decode(bytes)
      return { ...picture, data: Array.from(picture.data) }
    }, file.toString('base64'))

  it.each(FORMATS.flatMap((format) => [1, 2, 3, 4, 5, 6, 7, 8].map((orientation) => [format, orientation] as const)))(
    'turns %s of orientation %d upright as Node does',
    async (format, orientation) => {
      const { data, width, height } = drawPicture('turned', 24, 17, 3)
      // Large areas, so that compression changes little.
      const file = await sharp(data, { raw: { width, height, channels: 3 } })
        .resize(96, 68, { kernel: 'nearest' })
        .withMetadata({ orientation })
        .toFormat(format, { quality: 100, lossless: true, chromaSubsampling: '4:4:4' } as object)
        .toBuffer()
      const expected = await sharpCodec.decode(file)
      const decoded = await decode(file)
      expect([decoded.width, decoded.height]).toEqual([expected.width, expected.height])
      expect(pictureDifference(decoded.data, expected.data).most).toBeLessThanOrEqual(LEVELS)
    },
  )

  it('leaves WebP as it is stored where its header announces no EXIF, as Node does', async () => {
    const { data, width, height } = drawPicture('announced', 96, 68, 3)
    const file = await sharp(data, { raw: { width, height, channels: 3 } })
      .withMetadata({ orientation: 6 })
      .webp({ lossless: true })
      .toBuffer()
    // The flags of the extended header.
    file[20]! &= ~8
    const { data: expected, ...size } = await sharpCodec.decode(file)
    expect(size).toMatchObject({ width, height })
    expect(await decode(file)).toEqual({ ...size, data: [...expected] })
  })

  it.each([0xdb, 0xc0, 0xc4, 0xda])('reads a JPEG with bytes before its first marker %i', async (marker) => {
    const { data, ...size } = drawPicture('stray', 96, 68, 3)
    const file = await sharp(data, { raw: size }).jpeg().toBuffer()
    const at = file.indexOf(Buffer.of(0xff, marker))
    const stray = Buffer.concat([file.subarray(0, at), Buffer.of(7, 0), file.subarray(at)])
    expect(Buffer.compare(Buffer.from((await decode(stray)).data), Buffer.from((await decode(file)).data))).toBe(0)
  })

  it.each([3, 4] as const)('writes %d channels as PNG files with the same pixels', async (channels) => {
    const drawn = drawPicture('written', 70, 65, channels)
    const opaque = { ...drawn, data: drawn.data.map((level, at) => (at % channels === 3 ? 255 : level)) }
    const file = await page.evaluate(
      async ({ data, ...size }) => {
        const png = await codec.canvasCodec.encode({ ...size, data: Uint8Array.from(data) })
        return Array.from(png)
      },
      { ...opaque, data: [...opaque.data] },
    )
    const { data } = await sharpCodec.decode(Buffer.from(file))
    const colours = opaque.data.filter((_, at) => at % channels < 3)
    expect(Uint8Array.from(data)).toEqual(colours)
  })
})
