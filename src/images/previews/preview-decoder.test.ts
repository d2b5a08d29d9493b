import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addTensor } from '../../../test/helpers/add-tensor.ts'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { generatePicture, type SeededRequest } from '../../../test/helpers/generate-picture.ts'
import {
  type ImageBundle,
  type ImageBundleName,
  imageFixture,
  materializeBundle,
  materializePart,
  PROMPTS,
} from '../../../test/helpers/image-bundle.ts'
import { pictureDifference } from '../../../test/helpers/picture-difference.ts'
import { readFloats, readTensorBytes } from '../../../test/helpers/read-tensor.ts'
import { largestRelativeError } from '../../../test/helpers/relative-error.ts'
import { float32, runGraph } from '../../../test/helpers/run-graph.ts'
import { buildTinyDecoder } from '../../graph/index.ts'
import { autoencoderTinyConfigSchema } from '../../models/configs/autoencoder-tiny-config.ts'
import { readConfig } from '../../models/configs/read-config.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { openModel } from '../../models/open-model.ts'
import { quantizeCheckpoint } from '../../models/quantize/quantize-checkpoint.ts'
import { readSafetensors } from '../../models/weights/read-safetensors.ts'
import { openImagePipeline } from '../index.ts'
import type { PixelImage } from '../picture/pixel-image.ts'
import { openPreviewDecoder } from './preview-decoder.ts'

const context = { turn: async () => {} }
/** Sums in another order move a value across a rounding boundary. */
const LEVELS = 2
const WEIGHTS = 'diffusion_pytorch_model.safetensors'

const backend = await cpuBackend()

/** The previews of a request, the last of them last, and its picture. */
async function watch(folder: string, request: SeededRequest): Promise<{ looks: PixelImage[]; picture: PixelImage }> {
  const pipeline = await openImagePipeline({ backend, files: openModel(folder) })
  const looks: PixelImage[] = []
  const onLook = async (look: PixelImage) => void looks.push(look)
  try {
    return { looks, picture: await generatePicture(pipeline, request, { ...context, onLook }) }
  } finally {
    await pipeline.dispose()
  }
}

describe.each(['z-image-turbo', 'z-image-base'] as const)('the decoder for %s', (name) => {
  const fixture = `preview-decoders/${name}`
  let bundle: ImageBundle
  let decoder: string
  let request: SeededRequest
  beforeAll(async () => {
    bundle = await materializeBundle(name)
    decoder = join(bundle.folder, 'preview_decoder')
    await materializePart(fixture, decoder)
    const { prompt, ...rest } = JSON.parse(await readFile(join(decoder, 'case.json'), 'utf8')) as SeededRequest
    request = { ...rest, prompt: PROMPTS[prompt as keyof typeof PROMPTS] }
  })
  afterAll(() => bundle.remove())
  const expected = () => readSafetensors(join(imageFixture(fixture), 'expected.safetensors'))

  it('decodes as AutoencoderTiny of diffusers does', async () => {
    const values = await expected()
    const config = await readConfig(openFolder(decoder), 'config.json', autoencoderTinyConfigSchema, 'a decoder')
    const graph = buildTinyDecoder(config, await readSafetensors(decoder))
    const latents = float32(readFloats(values, 'decode.latents'), ...values.get('decode.latents')!.shape)
    const { image } = await runGraph(backend, graph, { latents })
    expect(image?.dims).toEqual(values.get('decode.image')!.shape)
    expect(largestRelativeError(image, readFloats(values, 'decode.image'))).toBeLessThan(1e-5)
  })

  it('shows after every step, and last what diffusers makes of the latents of the picture, which stays the same', async () => {
    const { looks, picture } = await watch(bundle.folder, { ...request, previews: true })
    expect(looks).toHaveLength(request.steps!)
    const last = looks.at(-1)!
    expect([last.width, last.height]).toEqual([request.width, request.height])
    const wanted = new Uint8Array(readTensorBytes(await expected(), 'preview'))
    expect(pictureDifference(last.data, wanted).most).toBeLessThanOrEqual(LEVELS)
    expect((await watch(bundle.folder, request)).picture).toEqual(picture)
  })

  it('says what a preview takes: its weights, and four values of its channels for every pixel', async () => {
    const {
      latent_channels: channels,
      decoder_block_out_channels: wide,
      num_decoder_blocks: levels,
    } = await readConfig(openFolder(decoder), 'config.json', autoencoderTinyConfigSchema, 'a decoder')
    const toPlanes = () => ({ channels, height: 0, width: 0, data: new Float32Array() })
    const latents = { channels, scale: 2 ** (levels.length - 1), toPlanes }
    const { workingMemory } = (await openPreviewDecoder(backend, openModel(bundle.folder), latents))!
    expect(workingMemory!(0)).toBeGreaterThan(1000)
    expect(workingMemory!(4096) - workingMemory!(0)).toBe(4096 * 4 * wide[0]! * 4)
  })

  it.each(['elsewhere', 'elsewhere/diffusion_pytorch_model.safetensors'])(
    'is found where tessera.json says, and in what is quantised from there: %s',
    async (named) => {
      const mine = join(bundle.folder, 'mine')
      await mkdir(mine)
      const manifest = { base: bundle.folder, parts: { preview_decoder: `../${named}` } }
      await writeFile(join(mine, 'tessera.json'), JSON.stringify(manifest))
      await rename(decoder, join(bundle.folder, 'elsewhere'))
      const out = join(bundle.folder, 'small')
      try {
        const { looks } = await watch(mine, { ...request, previews: true })
        expect(looks.at(-1)!.width).toBe(request.width)
        await quantizeCheckpoint({ folder: mine, out, bits: 8, blockSize: 16 })
        expect((await watch(out, { ...request, previews: true })).looks.at(-1)!.width).toBe(request.width)
      } finally {
        await rename(join(bundle.folder, 'elsewhere'), decoder)
        for (const folder of [mine, out]) await rm(folder, { recursive: true, force: true })
      }
    },
  )
})

describe('refused by name', () => {
  let bundle: ImageBundle
  let decoder: string
  async function begin(name: ImageBundleName): Promise<void> {
    bundle = await materializeBundle(name)
    decoder = join(bundle.folder, 'preview_decoder')
    await materializePart('preview-decoders/z-image-turbo', decoder)
  }
  beforeEach(() => begin('z-image-turbo'))
  afterEach(() => bundle.remove())

  const open = async () => (await openImagePipeline({ backend, files: openModel(bundle.folder) })).dispose()

  it.each([
    [{ _class_name: 'AutoencoderKL' }, '_class_name: expected AutoencoderTiny, got AutoencoderKL'],
    [{ _class_name: undefined }, '_class_name: expected AutoencoderTiny, got undefined'],
    [{ latent_channels: 32 }, 'latent_channels: 4'],
    [{ num_decoder_blocks: [3, 3, 1], decoder_block_out_channels: [8, 8, 8] }, 'num_decoder_blocks of 4 levels'],
    [{ num_decoder_blocks: [3, 3, 1] }, 'as many levels'],
    [{ decoder_block_out_channels: [8, 8, 8, 16] }, 'the same on every level'],
    [{ scaling_factor: 0 }, 'scaling_factor'],
    [{ act_fn: 'silu' }, 'act_fn'],
    [{ upsample_fn: 'bilinear' }, 'upsample_fn'],
    [{ num_decoder_blocks: [3, 3, 2, 1] }, 'decoder.layers'],
  ])('%j', async (fields, message) => {
    const path = join(decoder, 'config.json')
    const config = JSON.parse(await readFile(path, 'utf8')) as object
    await writeFile(path, JSON.stringify({ ...config, ...fields }))
    await expect(open()).rejects.toMatchObject({ code: 'model_format', message: expect.stringContaining(message) })
  })

  it('weights without a configuration, and tensors that nothing is computed from', async () => {
    await addTensor(join(decoder, WEIGHTS), 'decoder.layers.99.weight')
    await expect(open()).rejects.toMatchObject({ message: expect.stringContaining('decoder.layers.99.weight') })
    await rm(join(decoder, 'config.json'))
    await expect(open()).rejects.toMatchObject({ code: 'model_format', got: 'no such file' })
  })

  it('any beside a pipeline of FLUX.2', async () => {
    await bundle.remove()
    await begin('klein-distilled')
    await expect(open()).rejects.toMatchObject({ code: 'model_format', message: expect.stringContaining('Flux2Klein') })
  })
})
