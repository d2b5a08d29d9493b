import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { addTensor } from '../../../test/helpers/add-tensor.ts'
import { materializeControlled, readControlCases } from '../../../test/helpers/control-net.ts'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { generatePicture } from '../../../test/helpers/generate-picture.ts'
import { type ImageBundle, materializeBundle, materializePart } from '../../../test/helpers/image-bundle.ts'
import { pictureDifference } from '../../../test/helpers/picture-difference.ts'
import { drawPicture } from '../../../test/helpers/pseudo-random.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { predictMemory } from '../../engine/memory/predict-memory.ts'
import { describeCheckpoint } from '../../models/describe-checkpoint.ts'
import { openModel, quantizeCheckpoint, readSafetensors } from '../../models/index.ts'
import { openImagePipeline } from '../index.ts'

const context = { turn: async () => {} }
const WEIGHTS = 'diffusion_pytorch_model.safetensors'

const backend = await cpuBackend()
let work: string
beforeEach(() => void (work = temporaryFolder()))

async function draw(folder: string): Promise<Uint8Array> {
  const pipeline = await openImagePipeline({ backend, files: openModel(folder) })
  try {
    const control = { picture: drawPicture('edges', 80, 64, 3), scale: 1 }
    const request = { prompt: 'a red apple', width: 80, height: 64, seed: 1, steps: 2, guidance: 0, control }
    return (await generatePicture(pipeline, request, context)).data
  } finally {
    await pipeline.dispose()
  }
}

async function changeConfig(bundle: ImageBundle, change: Readonly<Record<string, unknown>>): Promise<void> {
  const path = join(bundle.folder, 'controlnet', 'config.json')
  const config = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>
  await writeFile(path, JSON.stringify({ ...config, ...change }))
}

describe('a ControlNet is refused by name', () => {
  it.each([
    [{ _class_name: 'FluxControlNetModel' }, '_class_name'],
    [{ _class_name: undefined }, '_class_name'],
    [{ control_guidance_blocks: 2 }, 'control_guidance_blocks'],
    [{ dim: 64, n_heads: 2, n_kv_heads: 2 }, 'dim: 96'],
    [{ n_heads: 2, n_kv_heads: 2 }, 'n_heads: 3'],
    [{ n_kv_heads: 1 }, 'n_kv_heads'],
    [{ control_in_dim: 12 }, 'control_in_dim: 8, or 17'],
    [{ control_layers_places: [0, 1, 3] }, 'control_layers_places below 3'],
    [{ control_layers_places: [1, 2] }, 'control_layers_places'],
    [{ control_layers_places: [0, 2, 1] }, 'control_layers_places'],
    [{ control_refiner_layers_places: [1] }, 'control_refiner_layers_places below 1'],
    [{ control_refiner_layers_places: null }, 'control_refiner_layers_places'],
    [{ add_control_noise_refiner: 'control_other' }, 'add_control_noise_refiner'],
    [{ add_control_noise_refiner: null }, 'control_refiner_layers_places'],
    [{ qk_norm: false }, 'qk_norm'],
  ])('for its configuration %o', async (change, named) => {
    await using bundle = await materializeControlled('refined')
    await changeConfig(bundle, change)
    await expect(openImagePipeline({ backend, files: openModel(bundle.folder) })).rejects.toMatchObject({
      code: 'model_format',
      message: expect.stringContaining(named),
    })
  })

  it.each(['control_layers.0.attention.to_q.bias', 'control_layers.2.before_proj.weight', 'control_noise_refiner.1.x'])(
    'for its tensor %s, which nothing is computed from',
    async (tensor) => {
      await using bundle = await materializeControlled('refined')
      await addTensor(join(bundle.folder, 'controlnet', WEIGHTS), tensor)
      await expect(openImagePipeline({ backend, files: openModel(bundle.folder) })).rejects.toMatchObject({
        code: 'model_format',
        message: expect.stringContaining(tensor),
      })
    },
  )

  it('in a pipeline of FLUX.2', async () => {
    await using bundle = await materializeBundle('klein-distilled')
    await materializePart('controlnets/refined', join(bundle.folder, 'controlnet'))
    await expect(openImagePipeline({ backend, files: openModel(bundle.folder) })).rejects.toMatchObject({
      code: 'model_format',
      message: expect.stringContaining('no ControlNet in a Flux2KleinPipeline'),
    })
  })

  it('where the pipeline is one that has it, and it is not there', async () => {
    await using bundle = await materializeBundle('z-image-base')
    await writeFile(join(bundle.folder, 'model_index.json'), '{ "_class_name": "ZImageControlNetPipeline" }')
    await expect(openImagePipeline({ backend, files: openModel(bundle.folder) })).rejects.toMatchObject({
      code: 'model_format',
      message: expect.stringContaining('controlnet/config.json'),
    })
  })
})

it.each(['t_embedder.mlp.0.bias', 'noise_refiner.0.attention.to_q.weight', 'x_pad_token'])(
  'is opened with a tensor of the transformer that diffusers saves with it: %s',
  async (tensor) => {
    await using bundle = await materializeControlled('separate')
    await writeFile(join(bundle.folder, 'model_index.json'), '{ "_class_name": "ZImageControlNetPipeline" }')
    const expected = await draw(bundle.folder)
    await addTensor(join(bundle.folder, 'controlnet', WEIGHTS), tensor)
    expect(await draw(bundle.folder)).toEqual(expected)
  },
)

it('is opened with the blocks that nothing calls where its layers refine', async () => {
  await using bundle = await materializeControlled('shared')
  await addTensor(join(bundle.folder, 'controlnet', WEIGHTS), 'control_noise_refiner.0.after_proj.bias')
  expect(await draw(bundle.folder)).toHaveLength(80 * 64 * 3)
})

it('is found in a file of any name, and where tessera.json says', async () => {
  await using bundle = await materializeControlled('refined')
  const expected = await draw(bundle.folder)
  const own = join(bundle.folder, 'controlnet')
  await rename(join(own, WEIGHTS), join(own, 'Union-2.1.safetensors'))
  expect(await draw(bundle.folder)).toEqual(expected)
  const elsewhere = join(work, 'union')
  await cp(own, elsewhere, { recursive: true })
  await rm(own, { recursive: true })
  const folder = join(work, 'mine')
  await mkdir(folder)
  await writeFile(
    join(folder, 'tessera.json'),
    JSON.stringify({ base: bundle.folder, parts: { controlnet: '../union' } }),
  )
  expect(await draw(folder)).toEqual(expected)
  const named = { base: bundle.folder, parts: { controlnet: '../union/Union-2.1.safetensors' } }
  await writeFile(join(folder, 'tessera.json'), JSON.stringify(named))
  expect(await draw(folder)).toEqual(expected)
  await rm(join(elsewhere, 'config.json'))
  await expect(draw(folder)).rejects.toMatchObject({
    code: 'model_format',
    message: expect.stringContaining('controlnet/config.json'),
  })
})

it('is counted, and quantised with the other parts', async () => {
  await using bundle = await materializeControlled('separate')
  await using plain = await materializeBundle(readControlCases('separate').bundle)
  const { bytes } = await describeCheckpoint(openModel(bundle.folder))
  const others = await describeCheckpoint(openModel(plain.folder))
  const control = await readSafetensors(join(bundle.folder, 'controlnet'))
  const size = control.names.reduce((sum, name) => sum + control.get(name)!.length, 0)
  expect(bytes - others.bytes).toBe(size)
  // Weights in bfloat16 are expanded when a session opens.
  const [predicted, without] = [
    await predictMemory(openModel(bundle.folder)),
    await predictMemory(openModel(plain.folder)),
  ]
  expect(predicted.open - without.open).toBeGreaterThan(size)

  const float = await draw(bundle.folder)
  const out = join(work, 'int8')
  await quantizeCheckpoint({ folder: bundle.folder, out, bits: 8, blockSize: 32 })
  const stored = await readSafetensors(join(out, 'controlnet'))
  const matrices = control.names.filter((name) => control.get(name)!.shape.length === 2)
  expect(matrices.filter((name) => stored.get(`${name}.scales`) === undefined)).toEqual([])
  const quantized = await draw(out)
  const { mean } = pictureDifference(quantized, float)
  expect(mean).toBeGreaterThan(0)
  expect(mean).toBeLessThan(3)
})
