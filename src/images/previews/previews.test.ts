import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { generatePicture } from '../../../test/helpers/generate-picture.ts'
import { IMAGE_BUNDLES, type ImageBundle, materializeBundle } from '../../../test/helpers/image-bundle.ts'
import { pictureDifference } from '../../../test/helpers/picture-difference.ts'
import { Turns } from '../../engine/worker/turns.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { type ImagePipeline, openImagePipeline } from '../index.ts'
import { resizeLanczos } from '../picture/lanczos.ts'
import type { PixelImage } from '../picture/pixel-image.ts'
import { LatentPreviewer } from './latent-previewer.ts'

const context = { turn: async () => {} }
const CHANNELS = 40
const SCALE = 16

const backend = await cpuBackend()

/** Tokens whose first twelve channels are the mean colours of their quarters, each mixed with the next. */
async function encodeLinearly({ width, height, data }: PixelImage): Promise<Float32Array> {
  const columns = width / SCALE
  const quarters = new Float32Array(((columns * height) / SCALE) * 12)
  for (let i = 0; i < data.length; i++) {
    const [x, y] = [Math.floor(i / 3) % width, Math.floor(i / 3 / width)]
    const token = Math.floor(y / SCALE) * columns + Math.floor(x / SCALE)
    const quarter = (Math.floor((2 * y) / SCALE) % 2) * 2 + (Math.floor((2 * x) / SCALE) % 2)
    quarters[token * 12 + quarter * 3 + (i % 3)]! += data[i]! / 64
  }
  const tokens = new Float32Array((quarters.length / 12) * CHANNELS)
  for (let token = 0; token < quarters.length / 12; token++) {
    for (let c = 0; c < 12; c++) {
      const next = quarters[token * 12 + ((c + 1) % 12)]!
      tokens[token * CHANNELS + c] = (quarters[token * 12 + c]! + 0.5 * next) / 100 - 1
    }
  }
  return tokens
}

/** Mean distance of levels between a preview and a picture in its size. */
function distance(look: PixelImage, picture: PixelImage): number {
  const small = resizeLanczos(picture, look.width, look.height)
  return pictureDifference(look.data, small.data).mean
}

describe('the map from latents to colours', () => {
  it('finds colours that are linear in the latents, and is fitted once', async () => {
    let encoded = 0
    const previewer = new LatentPreviewer({
      scale: SCALE,
      encode: (picture) => {
        encoded++
        return encodeLinearly(picture)
      },
    })
    const data = Uint8Array.from({ length: 48 * 32 * 3 }, (_, i) => (i * 7919) % 251)
    const picture: PixelImage = { width: 48, height: 32, channels: 3, data }
    const blocky = resizeLanczos(resizeLanczos(picture, 6, 4), 48, 32)
    for (let k = 0; k < 2; k++) {
      const draw = await previewer.open(context)
      const look = await draw(await encodeLinearly(blocky), { width: 3, height: 2 }, context)
      expect([look.width, look.height]).toEqual([6, 4])
      expect(distance(look, blocky)).toBeLessThan(4)
    }
    expect(encoded).toBe(5)
  })

  it('is fitted for two calls at once that take turns, of which one may be aborted', async () => {
    const previewer = new LatentPreviewer({
      scale: SCALE,
      async encode(picture, { turn }) {
        await turn()
        return encodeLinearly(picture)
      },
    })
    const turns = new Turns()
    const [aborted, kept] = [new AbortController(), new AbortController()]
    const open = async ({ signal }: AbortController) => {
      const place = turns.join(signal)
      try {
        await place.turn()
        await previewer.open(place)
      } finally {
        place.leave()
      }
    }
    const opened = [open(aborted), open(kept), open(kept)]
    aborted.abort()
    const outcomes = await Promise.allSettled(opened)
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  }, 20_000)

  it('is fitted anew after a call that was aborted', async () => {
    const previewer = new LatentPreviewer({
      scale: SCALE,
      async encode(picture, { turn }) {
        await turn()
        return encodeLinearly(picture)
      },
    })
    const stop = async () => {
      throw new Error('stopped')
    }
    await expect(previewer.open({ turn: stop })).rejects.toThrow('stopped')
    await expect(previewer.open(context)).resolves.toBeTypeOf('function')
  })
})

describe.each(IMAGE_BUNDLES)('%s', (name) => {
  let bundle: ImageBundle
  let pipeline: ImagePipeline
  beforeAll(async () => {
    bundle = await materializeBundle(name)
    pipeline = await openImagePipeline({ backend, files: openFolder(bundle.folder) })
  })
  afterAll(async () => {
    await pipeline.dispose()
    await bundle.remove()
  })

  it('shows what a picture will be after every step, and draws the same picture', async () => {
    const request = { prompt: 'a red apple', seed: 3, steps: 3, width: 64, height: 48 }
    const looks: { size: string; step: number; steps: number }[] = []
    const onLook = async ({ width, height }: PixelImage, at: { step: number; steps: number }) =>
      void looks.push({ size: `${width}x${height}`, ...at })
    const watched = await generatePicture(pipeline, { ...request, previews: true }, { ...context, onLook })
    const size = [64, 48].map((side) => (2 * side) / pipeline.sizeStep).join('x')
    expect(looks).toEqual([1, 2, 3].map((step) => ({ size, step, steps: 3 })))
    expect(watched).toEqual(await generatePicture(pipeline, request, context))
  })
})

it("previews of the embedded model are its decoder's: they come nearer, and the last is the picture", async () => {
  const files = openFolder(fileURLToPath(new URL('../../../models/image-mini', import.meta.url)))
  const pipeline = await openImagePipeline({ backend, files })
  const looks: PixelImage[] = []
  const onLook = async (look: PixelImage) => void looks.push(look)
  const request = { prompt: 'a red car on a blue background', seed: 7, width: 256, height: 256, previews: true }
  const picture = await generatePicture(pipeline, request, { ...context, onLook })
  await pipeline.dispose()
  const distances = looks.map((look) => distance(look, picture))
  expect(looks.map(({ width, height }) => `${width}x${height}`)).toEqual(Array(4).fill('256x256'))
  expect(distances[0]).toBeLessThan(30)
  expect(distances[1]).toBeLessThan(distances[0]!)
  expect(distances.at(-1)).toBe(0)
})
