import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { type ImageBundleName, materializeBundle } from '../../test/helpers/image-bundle.ts'
import { encodePicture, type OpenedImageTask, openTinyImageTask } from '../../test/helpers/image-task.ts'
import { drawPicture } from '../../test/helpers/pseudo-random.ts'
import { openFolder } from '../models/index.ts'
import type { ImageEditJob } from './image-jobs.ts'
import { openImageTask } from './image-task.ts'
import type { PictureCodec } from './picture/picture-codec.ts'
import type { PixelImage } from './picture/pixel-image.ts'
import { sharpCodec } from './picture/sharp-codec.ts'

const backend = await cpuBackend()

describe.each<[ImageBundleName, [number, number][] | undefined, [number, number]]>([
  ['klein-distilled', undefined, [96, 64]],
  ['klein-distilled', [[64, 64]], [150, 100]],
  ['z-image-turbo', undefined, [96, 64]],
])('%s with the native sizes %j', (name, natives, [width, height]) => {
  let opened: OpenedImageTask
  beforeAll(async () => {
    opened = await openTinyImageTask(backend, name, natives)
  })
  afterAll(() => opened.close())
  const source = drawPicture('masked', width, height, 3)
  const half: PixelImage = {
    ...source,
    data: source.data.map((_, i) => (Math.floor(i / 3) % width < width / 2 ? 255 : 0)),
  }

  it('changes what a mask leaves open, and keeps the rest to the bit', async () => {
    const [image, mask] = [await encodePicture(source), await encodePicture(half)]
    const [edited] = await opened.edit({ prompt: 'x', image, mask, n: 1, seed: 1, steps: 2 })
    expect([edited!.width, edited!.height]).toEqual([width, height])
    const kept = source.data.filter((_, i) => half.data[i] === 0)
    expect(Uint8Array.from(edited!.data).filter((_, i) => half.data[i] === 0)).toEqual(kept)
    const changed = source.data.filter((level, i) => half.data[i] === 255 && edited!.data[i] !== level)
    expect(changed.length).toBeGreaterThan(source.data.length / 4)
  })

  it('hands strength and negative prompt on', async () => {
    const image = await encodePicture(source)
    const draw = async (change: Partial<ImageEditJob>) =>
      (await opened.edit({ prompt: 'x', image, n: 1, seed: 1, steps: 4, ...change }))[0]!.data
    expect(await draw({ strength: 0.5 })).toEqual(await draw({ strength: 0.5 }))
    expect(await draw({ strength: 0.5 })).not.toEqual(await draw({ strength: 1 }))
    await expect(draw({ negativePrompt: 'y' })).rejects.toMatchObject({ path: 'negativePrompt' })
  })
})

it('looks at the pixels of the source as often for several pictures as for one', async () => {
  await using bundle = await materializeBundle('klein-distilled')
  let looks = 0
  const watch = (picture: PixelImage): PixelImage => ({
    ...picture,
    get data() {
      looks++
      return picture.data
    },
  })
  const codec: PictureCodec = { ...sharpCodec, decode: async (file) => watch(await sharpCodec.decode(file)) }
  const task = await openImageTask({ backend, files: openFolder(bundle.folder), codec })
  const source = drawPicture('masked', 96, 64, 3)
  const image = await encodePicture(source)
  async function countLooks(n: number): Promise<number> {
    looks = 0
    const { data } = await task.editImage(
      { prompt: 'x', image, mask: image, n, seed: 1, steps: 1 },
      { turn: async () => {} },
    )
    expect(data).toHaveLength(n)
    return looks
  }
  expect(await countLooks(3)).toBe(await countLooks(1))
  expect(looks).toBeGreaterThan(0)
  await task.dispose()
})
