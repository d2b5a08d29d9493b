import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { asFloats, toDiffusers, writeTensors } from '../../../test/helpers/single-files.ts'
import { type GgufWritten, roundToBlocks, writeGguf } from '../../../test/helpers/write-gguf.ts'
import { openModel } from '../open-model.ts'
import { encodeFp8, takePart, type TinyParts } from './test-support/tiny-parts.ts'

const BUNDLES = ['z-image-turbo', 'klein-distilled'] as const
const ARCHITECTURES = { 'z-image-turbo': 'lumina2', 'klein-distilled': 'flux' }

let taken: TinyParts
afterEach(() => taken.remove())
const PARTS = BUNDLES.flatMap((name) => [[name, 'transformer'] as const, [name, 'vae'] as const])

describe.each(PARTS)('one file for %s, its %s', (name, part) => {
  it.each(['', part === 'vae' ? 'first_stage_model.' : 'model.diffusion_model.'])(
    'has the tensors that diffusers makes of it, with names that begin with "%s"',
    async (prefix) => {
      taken = await takePart(name, part)
      const { stored } = taken
      const named = new Map(Array.from(stored, ([key, tensor]) => [`${prefix}${key}`, tensor]))
      await writeTensors(join(taken.folder, part, 'any-name.safetensors'), asFloats(named))
      await taken.expectSame(part, toDiffusers(name, part, stored))
    },
  )

  it('is read where it lies if it has the names of diffusers', async () => {
    taken = await takePart(name, part)
    const { stored } = taken
    const expected = toDiffusers(name, part, stored)
    await writeTensors(join(taken.folder, part, 'any-name.safetensors'), asFloats(expected))
    expect(await openModel(taken.folder).within(part).made!()).toBeUndefined()
    await taken.expectSame(part, expected)
  })
})

describe.each(BUNDLES)('the transformer of %s', (name) => {
  it.each([ARCHITECTURES[name], 'none'])('in GGUF of architecture %s is that of its numbers', async (architecture) => {
    taken = await takePart(name, 'transformer')
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
    taken = await takePart(name, 'transformer')
    const { stored } = taken
    const { written, rounded } = encodeFp8(stored, spelling)
    await writeTensors(join(taken.folder, 'transformer/fp8.safetensors'), written)
    await taken.expectSame('transformer', toDiffusers(name, 'transformer', rounded))
  })
})
