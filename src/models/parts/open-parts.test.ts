import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { asFloats, type PlainTensors, toDiffusers, writeTensors } from '../../../test/helpers/single-files.ts'
import { type GgufWritten, roundToBlocks, writeGguf } from '../../../test/helpers/write-gguf.ts'
import { openImagePipeline } from '../../images/index.ts'
import { openModel } from '../open-model.ts'
import { encodeFp8, takePart } from './test-support/tiny-parts.ts'

const BUNDLES = ['z-image-turbo', 'klein-distilled'] as const
const ARCHITECTURES = { 'z-image-turbo': 'lumina2', 'klein-distilled': 'flux' }

const PARTS = BUNDLES.flatMap((name) => [[name, 'transformer'] as const, [name, 'vae'] as const])

describe.each(PARTS)('one file for %s, its %s', (name, part) => {
  it.each(['', part === 'vae' ? 'first_stage_model.' : 'model.diffusion_model.'])(
    'has the tensors that diffusers makes of it, with names that begin with "%s"',
    async (prefix) => {
      const taken = await takePart(name, part)
      const { stored } = taken
      const named = new Map(Array.from(stored, ([key, tensor]) => [`${prefix}${key}`, tensor]))
      await writeTensors(join(taken.folder, part, 'any-name.safetensors'), asFloats(named))
      await taken.expectSame(part, toDiffusers(name, part, stored))
    },
  )

  it('is read where it lies if it has the names of diffusers', async () => {
    const taken = await takePart(name, part)
    const { stored } = taken
    const expected = toDiffusers(name, part, stored)
    await writeTensors(join(taken.folder, part, 'any-name.safetensors'), asFloats(expected))
    expect(await openModel(taken.folder).within(part).made!()).toBeUndefined()
    await taken.expectSame(part, expected)
  })
})

/** Fused queries, keys and values in three tensors, as the makers of some files have them. */
function splitFused(tensors: PlainTensors): PlainTensors {
  return new Map(
    Array.from(tensors).flatMap(([key, tensor]) => {
      if (!/_attn\.qkv\./.test(key)) return [[key, tensor] as const]
      const [rows, ...rest] = tensor.shape
      const size = tensor.values.length / 3
      return ['to_q', 'to_k', 'to_v'].map((part, i) => {
        const values = tensor.values.slice(i * size, (i + 1) * size)
        return [key.replace('qkv', part), { shape: [rows! / 3, ...rest], values }] as const
      })
    }),
  )
}

it('one file of FLUX.2 may have queries, keys and values apart under the names of its authors', async () => {
  const taken = await takePart('klein-distilled', 'transformer')
  const apart = splitFused(taken.stored)
  expect(apart.size).toBeGreaterThan(taken.stored.size)
  await writeTensors(join(taken.folder, 'transformer/apart.safetensors'), asFloats(apart))
  await taken.expectSame('transformer', toDiffusers('klein-distilled', 'transformer', taken.stored))
})

describe.each(BUNDLES)('the transformer of %s', (name) => {
  const findOutput = (tensors: PlainTensors) =>
    [...tensors.keys()].find((key) => /(?:attention\.out|img_attn\.proj)\.weight$/.test(key))!

  it.each(['safetensors', 'gguf', 'fp8'])('in %s that lacks a tensor is refused with its name', async (format) => {
    const taken = await takePart(name, 'transformer')
    const key = findOutput(taken.stored)
    const others = new Map([...taken.stored].filter(([other]) => other !== key))
    const file = (ending: string) => join(taken.folder, `transformer/part.${ending}`)
    if (format === 'gguf') {
      const numbers = Array.from(others, ([other, tensor]) => [other, { ...tensor, type: 'F32' as const }] as const)
      await writeGguf(file('gguf'), {}, new Map(numbers))
    } else if (format === 'fp8') await writeTensors(file('safetensors'), encodeFp8(others, 'weight_scale').written)
    else await writeTensors(file('safetensors'), asFloats(others))
    const backend = await cpuBackend()
    const opening = openImagePipeline({ backend, files: openModel(taken.folder) })
    await expect(opening).rejects.toMatchObject({
      code: 'model_format',
      message: expect.stringContaining('.to_out.0.weight'),
    })
  })

  it.each([ARCHITECTURES[name], 'none'])('in GGUF of architecture %s is that of its numbers', async (architecture) => {
    const taken = await takePart(name, 'transformer')
    const { stored } = taken
    const types: GgufWritten[] = ['Q8_0', 'Q4_0']
    const tensors = Array.from(stored, ([key, { shape, values }], i) => {
      const type = shape.length === 2 && shape[1]! % 32 === 0 ? types[i % 2]! : 'F32'
      // Tools that write such files drop axes of one.
      return [key, { shape: key.endsWith('_pad_token') ? [values.length] : shape, values, type }] as const
    })
    const metadata = architecture === 'none' ? {} : { 'general.architecture': architecture }
    await writeGguf(join(taken.folder, 'transformer/model.gguf'), metadata, new Map(tensors))
    const rounded = tensors.map(
      ([key, { type }]) =>
        [key, { ...stored.get(key)!, values: roundToBlocks(stored.get(key)!.values, type) }] as const,
    )
    await taken.expectSame('transformer', toDiffusers(name, 'transformer', new Map(rounded)))
  })

  it.each(['weight_scale', 'scale_weight'])('in FP8 with %s is that of its numbers', async (spelling) => {
    const taken = await takePart(name, 'transformer')
    const { stored } = taken
    const { written, rounded } = encodeFp8(stored, spelling)
    await writeTensors(join(taken.folder, 'transformer/fp8.safetensors'), written)
    await taken.expectSame('transformer', toDiffusers(name, 'transformer', rounded))
  })
})
