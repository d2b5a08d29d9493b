import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { generatePicture } from '../../test/helpers/generate-picture.ts'
import type { ImageBundleName } from '../../test/helpers/image-bundle.ts'
import { encodePicture, IMAGE_JOB, type OpenedImageTask, openTinyImageTask } from '../../test/helpers/image-task.ts'
import { pictureDifference } from '../../test/helpers/picture-difference.ts'
import { drawPicture } from '../../test/helpers/pseudo-random.ts'
import { AbortedError } from '../errors/index.ts'
import type { Progress } from '../jobs/job-context.ts'
import { openFolder } from '../models/index.ts'
import { openImagePipeline } from './open-image-pipeline.ts'
import type { PixelImage } from './picture/pixel-image.ts'
import { sharpCodec } from './picture/sharp-codec.ts'

const context = { turn: async () => {}, onProgress: () => {} }

const backend = await cpuBackend()

const open = (name: ImageBundleName, natives?: [number, number][]) => openTinyImageTask(backend, name, natives)

const sizes = (pictures: PixelImage[]) => pictures.map(({ width, height }) => `${width}x${height}`)
const mean = ({ data }: PixelImage) => data.reduce((sum, level) => sum + level, 0) / data.length

describe('a model that makes any size', () => {
  let opened: OpenedImageTask
  beforeAll(async () => {
    opened = await open('klein-distilled')
  })
  afterAll(() => opened.close())

  it('makes picture k of a request from seed + k', async () => {
    const together = await opened.generate({ n: 3 })
    for (const [k, picture] of together.entries()) {
      expect([picture]).toEqual(await opened.generate({ seed: IMAGE_JOB.seed + k }))
    }
    expect(together[0]).not.toEqual(together[1])
  })

  it.each([
    [Number.MAX_SAFE_INTEGER, 0],
    [Number.MIN_SAFE_INTEGER, 2],
    [-1, 0],
    [2 ** 32 + 5, 6],
  ])('goes on from seed %d with the picture of seed %d: their low 32 bits count', async (seed, next) => {
    expect((await opened.generate({ seed, n: 2 }))[1]).toEqual((await opened.generate({ seed: next }))[0])
  })

  it('cuts the middle out of the next multiple of what it can make', async () => {
    const [whole] = await opened.generate({ size: '64x48' })
    const [part] = await opened.generate({ size: '61x44' })
    expect(sizes([part!])).toEqual(['61x44'])
    for (const [x, y] of [
      [0, 0],
      [60, 43],
    ] as const) {
      const at = (picture: PixelImage, left: number, top: number) =>
        picture.data.subarray((top * picture.width + left) * 3, (top * picture.width + left) * 3 + 3)
      expect([...at(part!, x, y)]).toEqual([...at(whole!, x + 1, y + 2)])
    }
  })

  it('edits as its pipeline does, to the size at which it sees the first source', async () => {
    const sources = [drawPicture('first', 100, 71, 3), drawPicture('second', 64, 64, 3)]
    const images = await Promise.all(sources.map(encodePicture))
    const edited = await opened.edit({ prompt: IMAGE_JOB.prompt, images, n: 1, seed: 3, steps: 2 })
    const pipeline = await openImagePipeline({ backend, files: openFolder(opened.bundle.folder) })
    const wanted = await generatePicture(
      pipeline,
      { prompt: IMAGE_JOB.prompt, references: sources, seed: 3, steps: 2 },
      context,
    )
    await pipeline.dispose()
    expect(sizes(edited)).toEqual(['96x64'])
    expect(Uint8Array.from(edited[0]!.data)).toEqual(wanted.data)
  })

  it('reports the words, then steps and decoding of all pictures together, never going back', async () => {
    const seen: Progress[] = []
    await opened.generate({ n: 2 }, (progress) => seen.push(progress))
    expect(seen.map(({ stage, done, total }) => `${stage} ${done}/${total}`)).toEqual([
      'encoding 0/1',
      'encoding 1/1',
      'denoising 0/6',
      'denoising 1/6',
      'denoising 2/6',
      'decoding 2/6',
      'decoding 3/6',
      'denoising 3/6',
      'denoising 4/6',
      'denoising 5/6',
      'decoding 5/6',
      'decoding 6/6',
    ])
  })

  it('reads the words once for all pictures, and stops at any turn once it is aborted', async () => {
    const abortAt = async (last: number, n: number) => {
      let turns = 0
      const turn = async () => {
        if (turns++ === last) throw new AbortedError()
      }
      const made = opened.task.generateImage({ ...IMAGE_JOB, n }, { ...context, turn })
      return [
        await made.then(
          () => 'made',
          (error: { code: string }) => error.code,
        ),
        turns,
      ]
    }
    // Words, then two steps and the decoder for each picture.
    expect(await abortAt(99, 3)).toEqual(['made', 10])
    for (let last = 0; last < 7; last++) expect(await abortAt(last, 2)).toEqual(['aborted', last + 1])
  })
})

describe('a model of a few sizes', () => {
  let opened: OpenedImageTask
  beforeAll(async () => {
    opened = await open('klein-distilled', [
      [64, 64],
      [96, 64],
    ])
  })
  afterAll(() => opened.close())

  it.each(['64x64', '96x64', '16x16', '300x200', '70x130'])('makes a picture of %s', async (size) => {
    expect(sizes(await opened.generate({ size }))).toEqual([size])
  })

  it('resamples what it draws at the closest native size', async () => {
    const [native] = await opened.generate({ size: '64x64' })
    const [large] = await opened.generate({ size: '128x128' })
    expect(Math.abs(mean(large!) - mean(native!))).toBeLessThan(1)
    const { data } = await sharp(large!.data, { raw: { width: 128, height: 128, channels: 3 } })
      .resize(64, 64, { kernel: 'lanczos3' })
      .raw()
      .toBuffer({ resolveWithObject: true })
    expect(pictureDifference(data, native!.data).mean).toBeLessThan(8)
  })

  it.each([
    [100, 71, '100x71'],
    [64, 64, '64x64'],
    [70, 500, '70x500'],
    [2100, 700, '2048x683'],
  ])('edits a source of %d x %d to %s', async (width, height, size) => {
    const image = await encodePicture(drawPicture('source', width, height, 3))
    expect(sizes(await opened.edit({ prompt: 'x', image, n: 1, seed: 1, steps: 1 }))).toEqual([size])
  })

  it('sees sources at native sizes', async () => {
    const source = drawPicture('source', 96, 64, 3)
    const edited = await opened.edit({ prompt: 'x', image: await encodePicture(source), n: 1, seed: 1, steps: 2 })
    const pipeline = await openImagePipeline({ backend, files: openFolder(opened.bundle.folder) })
    const wanted = await generatePicture(pipeline, { prompt: 'x', references: [source], seed: 1, steps: 2 }, context)
    await pipeline.dispose()
    expect(Uint8Array.from(edited[0]!.data)).toEqual(wanted.data)
  })

  it('whose sizes it cannot make is refused', async () => {
    await expect(open('klein-distilled', [[64, 60]])).rejects.toMatchObject({
      code: 'model_format',
      file: expect.stringContaining('tessera.json'),
      expected: 'native_sizes in multiples of 16',
    })
  })
})

it('a model that sees no references makes any size, and changes one picture', async () => {
  const opened = await open('z-image-turbo')
  expect(sizes(await opened.generate({ size: '33x21', n: 2 }))).toEqual(['33x21', '33x21'])
  const image = await encodePicture(drawPicture('source', 100, 71, 3))
  expect(sizes(await opened.edit({ prompt: 'x', image, n: 1, seed: 1, steps: 2 }))).toEqual(['96x64'])
  const two = opened.edit({ prompt: 'x', images: [image, image], n: 1, seed: 1, steps: 2 })
  await expect(two).rejects.toMatchObject({ code: 'invalid_request', path: 'images' })
  await opened.close()
})

it.each(['z-image-turbo', 'klein-distilled'] as const)(
  '%s decodes no picture of a request that asks for others than it takes',
  async (name) => {
    const opened = await open(name)
    const image = await encodePicture(drawPicture('task', 96, 64, 3))
    const decode = vi.spyOn(sharpCodec, 'decode')
    const control = { image, scale: 1 }
    const job = { prompt: 'x', n: 1, seed: 1, steps: 2 }
    await expect(opened.generate({ control })).rejects.toMatchObject({ path: 'control' })
    await expect(opened.edit({ ...job, image, control })).rejects.toMatchObject({ path: 'control' })
    if (name === 'z-image-turbo') {
      await expect(opened.edit({ ...job, images: [image, image] })).rejects.toMatchObject({ path: 'images' })
    }
    expect(decode).not.toHaveBeenCalled()
    decode.mockRestore()
    await opened.close()
  },
)
