import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { generatePicture, type SeededRequest } from '../../test/helpers/generate-picture.ts'
import { materializeBundle, type ImageBundle, type ImageBundleName } from '../../test/helpers/image-bundle.ts'
import { drawPicture } from '../../test/helpers/pseudo-random.ts'
import { AbortedError } from '../errors/index.ts'
import type { Progress } from '../jobs/job-context.ts'
import { openFolder } from '../models/files/model-folder.ts'
import { openImagePipeline, type ImagePipeline } from './index.ts'

const REQUEST = { prompt: 'a red apple', width: 64, height: 48, seed: 1, steps: 2 }
const context = { turn: async () => {} }

const backend = await cpuBackend()

describe.each<[ImageBundleName, number]>([
  ['z-image-base', 8],
  ['klein-base', 8],
])('%s', (name, step) => {
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

  it('makes the same picture for the same seed, and another one for another seed, prompt or guidance', async () => {
    const make = async (change: Partial<SeededRequest>) =>
      (await generatePicture(pipeline, { ...REQUEST, guidance: 3, ...change }, context)).data
    const first = await make({})
    expect(await make({})).toEqual(first)
    expect(await make({ seed: 2 })).not.toEqual(first)
    expect(await make({ prompt: 'a green apple' })).not.toEqual(first)
    expect(await make({ guidance: 4 })).not.toEqual(first)
  })

  it.each([
    { _class_name: 'FlowMatchHeunDiscreteScheduler' },
    { _class_name: 'FlowMatchLCMScheduler' },
    { _class_name: 'UniPCMultistepScheduler', use_flow_sigmas: true, prediction_type: 'flow_prediction' },
    { _class_name: 'DPMSolverMultistepScheduler', use_flow_sigmas: true, prediction_type: 'flow_prediction' },
  ])('steps as the class of its scheduler does: $_class_name', async (config) => {
    const file = join(bundle.folder, 'scheduler/scheduler_config.json')
    const before = await readFile(file, 'utf8')
    await writeFile(file, JSON.stringify(config))
    const other = await openImagePipeline({ backend, files: openFolder(bundle.folder) })
    await writeFile(file, before)
    try {
      const make = async (from: ImagePipeline) =>
        (await generatePicture(from, { ...REQUEST, steps: 3, guidance: 0 }, context)).data
      expect(await make(other)).toEqual(await make(other))
      expect(await make(other)).not.toEqual(await make(pipeline))
    } finally {
      await other.dispose()
    }
  })

  it('reports every step and run of the decoder, and asks for a turn before every forward', async () => {
    const progress: Progress[] = []
    let turns = 0
    await generatePicture(
      pipeline,
      { ...REQUEST, guidance: 0 },
      {
        turn: async () => void turns++,
        onProgress: (report) => progress.push(report),
      },
    )
    expect(progress.filter(({ stage }) => stage === 'denoising')).toEqual(
      [0, 1, 2].map((done) => ({ stage: 'denoising', done, total: 2 })),
    )
    expect(progress.at(-1)).toEqual({ stage: 'decoding', done: 1, total: 1 })
    // Text (and for Z-Image the caption's own part), two steps, the decoder.
    expect(turns).toBe(name === 'z-image-base' ? 5 : 4)
  })

  it.each([0, 1, 3])('stops at turn %d when the caller aborts', async (last) => {
    let turns = 0
    const turn = async () => {
      if (turns++ === last) throw new AbortedError()
    }
    await expect(generatePicture(pipeline, { ...REQUEST, guidance: 0 }, { turn })).rejects.toMatchObject({
      code: 'aborted',
    })
    expect(turns).toBe(last + 1)
  })

  it.each([
    [{ width: 60 }, 'size'],
    [{ height: 0 }, 'size'],
    [{ height: Number.NaN }, 'size'],
    [{ steps: 0 }, 'steps'],
    [{ steps: 1.5 }, 'steps'],
    [{ guidance: -1 }, 'guidance'],
    [{ guidance: Number.POSITIVE_INFINITY }, 'guidance'],
  ])('refuses %j', async (change, path) => {
    expect(pipeline.sizeStep).toBe(step)
    const made = generatePicture(pipeline, { ...REQUEST, ...change }, context)
    await expect(made).rejects.toMatchObject({ code: 'invalid_request', path })
  })

  it('can be disposed twice', async () => {
    const other = await openImagePipeline({ backend, files: openFolder(bundle.folder) })
    await other.dispose()
    await other.dispose()
    await expect(generatePicture(other, REQUEST, context)).rejects.toThrow(/disposed/)
  })
})

describe('Z-Image', () => {
  it('takes one picture to begin with, and no size or prompt beyond the positions it knows', async () => {
    await using bundle = await materializeBundle('z-image-turbo')
    const pipeline = await openImagePipeline({ backend, files: openFolder(bundle.folder) })
    const picture = drawPicture('reference', 64, 48, 3)
    const edited = generatePicture(pipeline, { ...REQUEST, references: [picture, picture] }, context)
    await expect(edited).rejects.toMatchObject({ code: 'invalid_request', path: 'images' })
    const wide = generatePicture(pipeline, { ...REQUEST, width: 65 * 16 }, context)
    await expect(wide).rejects.toMatchObject({ code: 'invalid_request', path: 'size' })
    await pipeline.dispose()
  })
})

describe('a bundle', () => {
  async function expectRefused(name: ImageBundleName, change: (folder: string) => Promise<void>, file: string) {
    await using bundle = await materializeBundle(name)
    await change(bundle.folder)
    const opened = openImagePipeline({ backend, files: openFolder(bundle.folder) })
    await expect(opened).rejects.toMatchObject({ code: 'model_format', file: expect.stringContaining(file) })
  }

  const edit = (file: string, change: Record<string, unknown>) => async (folder: string) => {
    const path = join(folder, file)
    const json = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>
    await writeFile(path, JSON.stringify({ ...json, ...change }))
  }

  it.each<[ImageBundleName, string, Record<string, unknown>]>([
    ['klein-base', 'model_index.json', { _class_name: 'StableDiffusionPipeline' }],
    ['klein-base', 'transformer/config.json', { guidance_embeds: true }],
    ['klein-base', 'transformer/config.json', { axes_dims_rope: [4, 4, 4, 8] }],
    ['klein-base', 'vae/config.json', { latent_channels: 3 }],
    ['klein-base', 'scheduler/scheduler_config.json', { use_karras_sigmas: true }],
    ['klein-base', 'tessera.json', { text_encoder_out_layers: [] }],
    ['z-image-base', 'transformer/config.json', { _class_name: 'Flux2Transformer2DModel' }],
    ['z-image-base', 'vae/config.json', { _class_name: 'AutoencoderTiny' }],
    ['klein-base', 'transformer/config.json', { _class_name: 'QwenImageTransformer2DModel' }],
    ['klein-base', 'vae/config.json', { _class_name: 'AutoencoderKL' }],
    ['z-image-base', 'scheduler/scheduler_config.json', { _class_name: 'DDIMScheduler' }],
    ['z-image-base', 'scheduler/scheduler_config.json', { _class_name: 'UniPCMultistepScheduler' }],
    ['z-image-base', 'text_encoder/config.json', { rope_parameters: { type: 'dynamic', rope_theta: 3, factor: 2 } }],
    ['z-image-base', 'text_encoder/config.json', { architectures: ['Qwen3VLModel'] }],
    ['z-image-base', 'transformer/config.json', { n_heads: 5 }],
    ['z-image-base', 'vae/config.json', { latent_channels: 4 }],
    ['z-image-base', 'tokenizer/tokenizer_config.json', { pad_token: '<|nothing|>' }],
  ])('%s with %s changed by %j is refused', (name, file, change) =>
    expectRefused(name, edit(file, change), file.replace('tokenizer_config', 'tokenizer')),
  )

  it.each([
    ['model_index.json', 'model_index.json'],
    ['tokenizer/tokenizer.json', 'tokenizer.json'],
    ['vae/diffusion_pytorch_model.safetensors', 'vae'],
  ])('without %s is refused', (file, named) =>
    expectRefused('klein-distilled', (folder) => rm(join(folder, file)), named),
  )
})

it.each([
  ['z-image-turbo', 'ZImageImg2ImgPipeline'],
  ['z-image-turbo', 'ZImageInpaintPipeline'],
  ['klein-distilled', 'Flux2KleinInpaintPipeline'],
] as const)('%s as diffusers saves it from a %s opens', async (name, className) => {
  await using bundle = await materializeBundle(name)
  const path = join(bundle.folder, 'model_index.json')
  await writeFile(path, (await readFile(path, 'utf8')).replace(/"(ZImage|Flux2Klein)Pipeline"/, `"${className}"`))
  expect(await readFile(path, 'utf8')).toContain(className)
  const pipeline = await openImagePipeline({ backend, files: openFolder(bundle.folder) })
  await pipeline.dispose()
})
