import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { materializeControlled } from '../../test/helpers/control-net.ts'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { generatePicture } from '../../test/helpers/generate-picture.ts'
import type { ImageBundle } from '../../test/helpers/image-bundle.ts'
import { encodePicture, IMAGE_JOB } from '../../test/helpers/image-task.ts'
import { drawPicture } from '../../test/helpers/pseudo-random.ts'
import { openFolder } from '../models/files/model-folder.ts'
import type { ImageResponse } from '../schemas/index.ts'
import { type ImageTask, openImageTask } from './image-task.ts'
import { openImagePipeline } from './open-image-pipeline.ts'
import { resizeLanczos } from './picture/lanczos.ts'
import { cropCentre, type PixelImage } from './picture/pixel-image.ts'
import { sharpCodec } from './picture/sharp-codec.ts'

const context = { turn: async () => {} }

const backend = await cpuBackend()
let bundle: ImageBundle
let task: ImageTask
beforeEach(async () => {
  bundle = await materializeControlled('shared')
})
afterEach(async () => {
  await task.dispose()
  await bundle.remove()
})

async function open(natives?: readonly (readonly [number, number])[]) {
  if (natives) {
    const file = join(bundle.folder, 'tessera.json')
    const manifest = JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as object
    await writeFile(file, JSON.stringify({ ...manifest, native_sizes: natives }))
  }
  task = await openImageTask({ backend, files: openFolder(bundle.folder), codec: sharpCodec })
}

async function decode({ data }: ImageResponse): Promise<PixelImage> {
  const { width, height, channels, data: levels } = await sharpCodec.decode(Buffer.from(data[0].b64_json, 'base64'))
  return { width, height, channels, data: Uint8Array.from(levels) }
}

async function follow(size: string, picture: PixelImage): Promise<PixelImage> {
  const control = { image: await encodePicture(picture), scale: 1 }
  return decode(await task.generateImage({ ...IMAGE_JOB, size, control }, context))
}

/** A picture with its border pixels around it, as libvips repeats them. */
async function surround(
  { width, height, data }: PixelImage,
  margins: Record<'left' | 'top' | 'right' | 'bottom', number>,
) {
  const around = await sharp(data, { raw: { width, height, channels: 3 } })
    .extend({ ...margins, extendWith: 'copy' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { info } = around
  return { width: info.width, height: info.height, channels: 3 as const, data: Uint8Array.from(around.data) }
}

describe('a control lies where the picture is taken from what is drawn', () => {
  it('by a model that draws the next multiple of its step', async () => {
    await open()
    const control = drawPicture('edges', 77, 76, 3)
    const whole = await follow('80x80', await surround(control, { left: 1, right: 2, top: 2, bottom: 2 }))
    expect(await follow('77x76', control)).toEqual(cropCentre(whole, 77, 76))
  })

  it('by a model that draws another shape', async () => {
    await open([[64, 64]])
    const control = drawPicture('edges', 96, 64, 3)
    const part = resizeLanczos(control, 64, 43)
    const whole = await follow('64x64', await surround(part, { left: 0, right: 0, top: 10, bottom: 11 }))
    expect(await follow('96x64', control)).toEqual(resizeLanczos(cropCentre(whole, 64, 43), 96, 64))
  })

  it('by a model that cuts off what of a source exceeds a multiple of its step', async () => {
    await open()
    const image = await encodePicture(drawPicture('source', 77, 76, 3))
    const edit = async (picture: PixelImage) => {
      const control = { image: await encodePicture(picture), scale: 1 }
      return decode(await task.editImage({ prompt: 'x', image, n: 1, seed: 1, steps: 2, control }, context))
    }
    const control = drawPicture('edges', 77, 76, 3)
    const edited = await edit(control)
    expect(edited).toEqual(await edit(cropCentre(control, edited.width, edited.height)))
    const larger = drawPicture('edges', 154, 160, 3)
    expect(await edit(larger)).toEqual(await edit(resizeLanczos(cropCentre(larger, 154, 152), 77, 76)))
  })

  it('by a model that sees sources in another shape, too', async () => {
    await open([[64, 64]])
    const [source, control] = ['source', 'edges'].map((name) => drawPicture(name, 96, 64, 3)) as [
      PixelImage,
      PixelImage,
    ]
    const job = { prompt: 'x', image: await encodePicture(source), n: 1, seed: 1, steps: 2 }
    const edited = await task.editImage({ ...job, control: { image: await encodePicture(control), scale: 1 } }, context)
    const pipeline = await openImagePipeline({ backend, files: openFolder(bundle.folder) })
    const seen = { references: [resizeLanczos(source, 64, 64)], width: 64, height: 64 }
    const following = { picture: resizeLanczos(control, 64, 64), scale: 1 }
    const wanted = await generatePicture(
      pipeline,
      { prompt: 'x', seed: 1, steps: 2, ...seen, control: following },
      context,
    )
    await pipeline.dispose()
    expect(await decode(edited)).toEqual(resizeLanczos(wanted, 96, 64))
  })
})
