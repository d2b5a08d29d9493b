import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import type { ImageBundleName } from '../../test/helpers/image-bundle.ts'
import { encodePicture, type OpenedImageTask, openTinyImageTask } from '../../test/helpers/image-task.ts'
import { drawPicture } from '../../test/helpers/pseudo-random.ts'
import type { PixelImage } from './picture/pixel-image.ts'
import { sharpCodec } from './picture/sharp-codec.ts'

const backend = await cpuBackend()

/** Previews of a call, decoded, in the order in which they came. */
async function watch(
  call: (context: {
    turn: () => Promise<void>
    onPreview: (preview: { b64_json: string }) => void
  }) => Promise<unknown>,
): Promise<PixelImage[]> {
  const seen: string[] = []
  await call({ turn: async () => {}, onPreview: ({ b64_json }) => void seen.push(b64_json) })
  return Promise.all(seen.map((text) => sharpCodec.decode(Buffer.from(text, 'base64'))))
}

/** Levels of the columns from one share of the width to another. */
function columns({ width, data }: PixelImage, from: number, to: number): number[] {
  return [...data].filter((_, i) => {
    const column = Math.floor(i / 3) % width
    return column >= from * width && column < to * width
  })
}

describe.each<ImageBundleName>(['klein-distilled', 'z-image-turbo'])('previews of %s', (name) => {
  let opened: OpenedImageTask
  beforeAll(async () => {
    opened = await openTinyImageTask(backend, name)
  })
  afterAll(() => opened.close())

  it('have what a mask keeps from the first step on', async () => {
    const source = drawPicture('previewed', 128, 96, 3)
    const data = source.data.map((_, i) => (Math.floor(i / 3) % 128 < 64 ? 255 : 0))
    const [image, mask] = [await encodePicture(source), await encodePicture({ ...source, data })]
    const job = { prompt: 'x', image, mask, n: 1, seed: 1, steps: 4 }
    const previews = await watch((context) => opened.task.editImage(job, context))
    const last = previews.at(-1)!
    expect(previews.length).toBeGreaterThan(2)
    for (const preview of previews) expect(columns(preview, 0.75, 1)).toEqual(columns(last, 0.75, 1))
    expect(columns(previews[0]!, 0, 0.25)).not.toEqual(columns(last, 0, 0.25))
  })
})

it.each([
  [undefined, '70x90', '9x11'],
  [[[64, 64]], '70x90', '6x8'],
  [[[64, 64]], '512x128', '8x2'],
] as [[number, number][] | undefined, string, string][])(
  'of a model with the native sizes %j, those of a picture of %s are %s: they have its shape',
  async (natives, size, expected) => {
    const opened = await openTinyImageTask(backend, 'klein-distilled', natives)
    const job = { prompt: 'x', size, n: 1, seed: 1, steps: 1 }
    const [preview] = await watch((context) => opened.task.generateImage(job, context))
    await opened.close()
    expect(`${preview!.width}x${preview!.height}`).toBe(expected)
  },
)

it('of an edit have the shape of its first source where the model draws another', async () => {
  const opened = await openTinyImageTask(backend, 'klein-distilled', [[64, 64]])
  const image = await encodePicture(drawPicture('previewed', 160, 80, 3))
  const [preview] = await watch((context) => opened.task.editImage({ prompt: 'x', image, n: 1, seed: 1 }, context))
  await opened.close()
  expect([preview!.width, preview!.height]).toEqual([8, 4])
})
