import { build } from 'esbuild'
import { type Browser, chromium, type Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sharpCodec } from '../../src/images/picture/sharp-codec.ts'
import type { canvasCodec } from '../../src/web/canvas-codec.ts'
import { findChromium } from '../helpers/chromium.ts'
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
      const decoded = await page.evaluate(async (base64) => {
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
        const picture = await codec.canvasCodec.decode(bytes)
        return { ...picture, data: Array.from(picture.data) }
      }, file.toString('base64'))
      expect([decoded.width, decoded.height]).toEqual([expected.width, expected.height])
      expect(Math.max(...decoded.data.map((level, at) => Math.abs(level - expected.data[at]!)))).toBeLessThanOrEqual(
        LEVELS,
      )
    },
  )
})
