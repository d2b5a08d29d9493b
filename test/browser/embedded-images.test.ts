import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEngine, type Engine } from '../../src/index.ts'
import { pictureDifference } from '../helpers/picture-difference.ts'
import { spreadOf } from '../helpers/spread-of.ts'
import { type ExampleSite, hasChromium, startExampleSite } from './browser-page.ts'

const DRAWING = { prompt: 'a 3d apple on a blue background', size: '256x256', seed: 5 } as const
const EDIT = { prompt: 'change the background to yellow' } as const
const SAMPLING = { seed: 0 } as const

/** For a busy machine: seconds on a free one. */
const PATIENCE = 900_000
/** Mean difference in levels of 255. Runtimes add in different orders, and every step of a picture builds on that. */
const MEAN_LEVELS = 1

describe.skipIf(!hasChromium)('image-mini in Chromium (set CHROMIUM to its path where it is not found)', () => {
  let site: ExampleSite
  let node: Engine
  beforeAll(async () => {
    site = await startExampleSite()
    node = await createEngine({ backend: 'cpu', threads: 1 })
  })
  afterAll(async () => {
    await node?.dispose()
    await site?.close()
  })

  it(
    'draws and changes a picture in WebAssembly as Node does',
    async () => {
      const { page } = await site.openLibrary()
      const {
        data: [drawn],
      } = await node.generateImage(DRAWING)
      const edit = { ...EDIT, image: drawn!.b64_json }
      const got = await page.evaluate(
        async ([drawing, edit, sampling]) => {
          const urls = { runtimeUrl: '/onnxruntime/', modelsUrl: '/models/' }
          const engine = await tessera.createEngine({ backend: 'wasm', ...urls })
          const {
            data: [drawn],
          } = await engine.generateImage(drawing)
          const {
            data: [edited],
          } = await engine.editImage(edit, sampling)
          await engine.dispose()
          return { drawn: drawn!.b64_json, edited: edited!.b64_json }
        },
        [DRAWING, edit, SAMPLING] as const,
      )
      await page.close()
      const {
        data: [edited],
      } = await node.editImage(edit, SAMPLING)
      await expectSamePicture(got.drawn, drawn!.b64_json)
      await expectSamePicture(got.edited, edited!.b64_json)
    },
    PATIENCE,
  )

  it(
    'draws and changes a picture on the example page',
    async () => {
      const { page, faults } = await site.openExample('?backend=wasm')
      await page.getByRole('button', { name: 'Draw' }).click()
      await page.getByRole('img', { name: 'a 3d apple' }).waitFor({ timeout: PATIENCE })
      await page.getByRole('button', { name: 'Change the picture' }).click()
      await page.getByRole('img', { name: 'change the background' }).waitFor({ timeout: PATIENCE })
      const [, picture] = (await page.locator('#picture').getAttribute('src'))!.split(',')
      await readPicture(picture!)
      expect(faults).toEqual([])
      await page.close()
    },
    PATIENCE,
  )
})

/** Levels of red, green and blue; a PNG of the right size that shows something. */
async function readPicture(base64: string): Promise<Buffer> {
  const { data, info } = await sharp(Buffer.from(base64, 'base64'))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  expect(await sharp(Buffer.from(base64, 'base64')).metadata()).toMatchObject({ format: 'png' })
  expect(info).toMatchObject({ width: 256, height: 256, channels: 3 })
  expect(spreadOf(data)).toBeGreaterThan(50)
  return data
}

async function expectSamePicture(got: string, wanted: string): Promise<void> {
  const [a, b] = [await readPicture(got), await readPicture(wanted)]
  expect(pictureDifference(a, b).mean).toBeLessThanOrEqual(MEAN_LEVELS)
}
