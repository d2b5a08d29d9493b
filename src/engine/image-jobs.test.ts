import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ImageBundle, materializeBundle } from '../../test/helpers/image-bundle.ts'
import { startModelEngine } from '../../test/helpers/model-engine.ts'
import type { Progress } from '../jobs/job-context.ts'
import type { ImageResponse } from '../schemas/index.ts'
import { disposeDefaultEngine, editImage, generateImage } from './default-engine.ts'
import type { Engine } from './engine.ts'
import type { EngineOptions } from './options/resolve-options.ts'

const REQUEST = { prompt: 'a red apple', size: '64x48', seed: 7 }
const STEPS = { steps: 2 }

let klein: ImageBundle
let zImage: ImageBundle
let source: string
beforeAll(async () => {
  ;[klein, zImage] = await Promise.all([materializeBundle('klein-distilled'), materializeBundle('z-image-turbo')])
  const file = sharp({ create: { width: 80, height: 64, channels: 3, background: '#c04020' } })
    .png()
    .toBuffer()
  source = (await file).toString('base64')
})
afterAll(() => Promise.all([klein.remove(), zImage.remove()]))

const start = (options: EngineOptions = {}) => {
  const models = { 'alpha-image-turbo': zImage.folder, 'beta-klein-4b': klein.folder }
  return startModelEngine(klein.folder, { models, worker: false, ...options })
}
const size = async ({ data }: ImageResponse) => {
  const { width, height, format, channels, depth } = await sharp(Buffer.from(data[0].b64_json, 'base64')).metadata()
  return { size: `${width}x${height}`, format, channels, depth }
}

describe('pictures', () => {
  it('are the same in a worker as inline, and PNG files of the size that was asked for', async () => {
    const engine = await start({ worker: true })
    const edit = { prompt: 'make it green', image: `data:image/png;base64,${source}` }
    const pictures = [await engine.generateImage(REQUEST, STEPS), await engine.editImage(edit, { ...STEPS, seed: 7 })]
    expect(await size(pictures[0]!)).toEqual({ size: '64x48', format: 'png', channels: 3, depth: 'uchar' })
    expect(await size(pictures[1]!)).toMatchObject({ size: '80x64' })
    const bytes = new Uint8Array(Buffer.from(source, 'base64'))
    expect(await engine.editImage({ ...edit, image: bytes }, { ...STEPS, seed: 7 })).toEqual(pictures[1])
    expect(Buffer.from(bytes).toString('base64')).toBe(source)
    await engine.dispose()
    await using inline = await start()
    expect([await inline.generateImage(REQUEST, STEPS), await inline.editImage(edit, { ...STEPS, seed: 7 })]).toEqual(
      pictures,
    )
  })

  it('differ from call to call without a seed', async () => {
    await using engine = await start()
    const { seed: _, ...unseeded } = REQUEST
    expect(await engine.generateImage(unseeded, STEPS)).not.toEqual(await engine.generateImage(unseeded, STEPS))
    const edit = { prompt: 'make it green', image: source }
    expect(await engine.editImage(edit, STEPS)).not.toEqual(await engine.editImage(edit, STEPS))
  })

  it('depend on steps and guidance', async () => {
    await using engine = await start()
    const first = await engine.generateImage(REQUEST, STEPS)
    expect(await engine.generateImage(REQUEST, { steps: 3 })).not.toEqual(first)
    expect(await engine.generateImage(REQUEST, { ...STEPS, guidance: 2 })).not.toEqual(first)
  })
})

describe('a call that cannot succeed', () => {
  let held: Promise<unknown>
  let engine: Engine
  const leave = new AbortController()
  beforeAll(async () => {
    engine = await start({ maxConcurrent: 1, maxQueue: 0 })
    held = engine.generateImage(REQUEST, { steps: 1000, signal: leave.signal }).catch((error: unknown) => error)
  })
  afterAll(() => engine.dispose())

  // The queue is full: a call that got as far would be refused as one too many.
  it.each([
    [{ ...REQUEST, size: '8x8' }, {}, 'size'],
    [{ ...REQUEST, n: 5 }, {}, 'n'],
    [REQUEST, { steps: 0 }, 'steps'],
    [REQUEST, { steps: 1001 }, 'steps'],
    [REQUEST, { steps: '4' as unknown as number }, 'steps'],
    [REQUEST, { guidance: -1 }, 'guidance'],
    [REQUEST, { guidance: 101 }, 'guidance'],
    [REQUEST, { guidance: Number.NaN }, 'guidance'],
  ])('%o with %o is refused before it reaches the queue', async (request, options, path) => {
    await expect(engine.generateImage(request, options)).rejects.toMatchObject({ code: 'invalid_request', path })
  })

  it('with a seed for an edit that is no integer is refused too, and a good one gets to the queue', async () => {
    const edit = (seed: number) => engine.editImage({ prompt: 'x', image: source }, { seed })
    await expect(edit(0.5)).rejects.toMatchObject({ code: 'invalid_request', path: 'seed' })
    await expect(edit(1)).rejects.toMatchObject({ code: 'overloaded' })
    leave.abort()
    expect(await held).toMatchObject({ code: 'aborted' })
  })
})

describe('a call', () => {
  it('of one kind to a model of another is refused by name', async () => {
    await using engine = await start()
    const questions = { q: { type: 'noul', instructions: 'x' } } as const
    const decision = engine.decide({ model: 'beta-klein-4b', state: '', questions })
    await expect(decision).rejects.toMatchObject({
      code: 'invalid_request',
      path: 'model',
      reason: expect.stringMatching(/^'beta-klein-4b', which .+ serves here, is not a model for decide$/),
    })
  })

  it('with the name of a compatible service is served by the default model of its kind', async () => {
    await using engine = await start()
    expect(await engine.generateImage({ ...REQUEST, model: 'gpt-image-1' }, STEPS)).toEqual(
      await engine.generateImage(REQUEST, STEPS),
    )
  })

  it('that is aborted stops at its next step, and the engine goes on', async () => {
    await using engine = await start({ worker: true })
    const controller = new AbortController()
    const seen: Progress[] = []
    const call = engine.generateImage(
      { ...REQUEST, n: 4 },
      {
        steps: 1000,
        signal: controller.signal,
        onProgress: (progress) => {
          seen.push(progress)
          controller.abort('enough')
        },
      },
    )
    await expect(call).rejects.toMatchObject({ code: 'aborted', cause: 'enough' })
    const count = seen.length
    await expect(engine.generateImage(REQUEST, STEPS)).resolves.toHaveProperty('data')
    // Whatever was on its way when the signal fired; a job that went on would have reported hundreds.
    expect(seen.length - count).toBeLessThan(20)
  })

  it.each(['denoising', 'decoding'])('can be disposed of while %s', async (stage) => {
    await using engine = await start({ worker: true })
    let call: Promise<unknown> | undefined
    await new Promise<void>((resolve) => {
      const onProgress = (progress: Progress) => {
        if (progress.stage === stage) resolve()
      }
      call = engine.generateImage({ ...REQUEST, n: 4 }, { ...STEPS, onProgress }).catch((error: unknown) => error)
    })
    await engine.dispose()
    expect(await call).toMatchObject({ code: 'engine_disposed' })
  })
})

it('lists what serves each name: kind, weight and native sizes', async () => {
  const file = join(klein.folder, 'tessera.json')
  const manifest = await readFile(file, 'utf8')
  await writeFile(
    file,
    JSON.stringify({
      ...(JSON.parse(manifest) as object),
      native_sizes: [
        [64, 64],
        [96, 64],
      ],
    }),
  )
  await using engine = await start()
  const models = Object.fromEntries((await engine.models()).map(({ name, ...model }) => [name, model]))
  expect(models['alpha-image-turbo']).toEqual({
    id: zImage.folder,
    available: true,
    kind: 'images',
    bytes: expect.any(Number),
  })
  expect(models['beta-klein-4b']).toMatchObject({ kind: 'images', nativeSizes: ['64x64', '96x64'] })
  expect(models['beta-klein-4b']!.bytes).toBeGreaterThan(100_000)
  expect(models['decide-latest']).toMatchObject({ id: 'decide-mini', kind: 'decisions' })
  await writeFile(file, '{"native_sizes": "any"}')
  expect((await engine.models()).find(({ name }) => name === 'beta-klein-4b')).toMatchObject({
    available: false,
    reason: expect.stringContaining('native_sizes'),
  })
  await writeFile(file, manifest)
})

it('checks requests to the top-level functions as an engine does', async () => {
  await expect(generateImage({ prompt: '' })).rejects.toMatchObject({ code: 'invalid_request', path: 'prompt' })
  await expect(editImage({ prompt: 'x' })).rejects.toMatchObject({ code: 'invalid_request', path: 'image' })
  await disposeDefaultEngine()
})
