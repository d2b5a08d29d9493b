import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toDiffusers, writeTensors } from '../../../test/helpers/single-files.ts'
import { encodeFp8, takePart, type TinyParts } from './test-support/tiny-parts.ts'

let taken: TinyParts
const LAYER = 'layers.0.attention.qkv'
const markOf = (format: string) => Buffer.from(JSON.stringify({ format }))

describe('FP8 in one file', () => {
  const path = () => join(taken.folder, 'transformer/fp8.safetensors')
  async function encode() {
    taken = await takePart('z-image-turbo', 'transformer')
    return encodeFp8(taken.stored, 'weight_scale')
  }

  it('names its layers in metadata, or in a text beside each', async () => {
    const { written, rounded } = await encode()
    const [first, ...others] = written.filter(({ dtype }) => dtype === 'F8_E4M3').map(({ name }) => name.slice(0, -7))
    const layers = Object.fromEntries(others.map((layer) => [layer, { format: 'float8_e4m3fn' }]))
    const data = markOf('float8_e4m3fn')
    const mark = { name: `${first}.comfy_quant`, dtype: 'U8', shape: [data.length], data } as const
    const old = { name: 'scaled_fp8', dtype: 'F8_E4M3', shape: [2], data: new Uint8Array(2) } as const
    await writeTensors(path(), [...written, mark, old], { _quantization_metadata: JSON.stringify({ layers }) })
    await taken.expectSame('transformer', toDiffusers('z-image-turbo', 'transformer', rounded))
  })

  it('may say below the prefix of its names that it has scales', async () => {
    const { written, rounded } = await encode()
    const old = { name: 'scaled_fp8', dtype: 'F8_E4M3', shape: [2], data: new Uint8Array(2) } as const
    const prefixed = [...written, old].map((tensor) => ({ ...tensor, name: `model.diffusion_model.${tensor.name}` }))
    await writeTensors(path(), prefixed)
    await taken.expectSame('transformer', toDiffusers('z-image-turbo', 'transformer', rounded))
  })

  it('without a scale is refused by the name of the matrix', async () => {
    const { written } = await encode()
    await writeTensors(
      path(),
      written.filter(({ name }) => name !== `${LAYER}.weight_scale`),
    )
    await expect(taken.show('transformer')).rejects.toMatchObject({
      code: 'model_format',
      expected: expect.stringContaining(`one scale of ${LAYER}.weight (F8_E4M3)`),
      got: 'none',
    })
  })

  it.each([
    ['nvfp4', `${LAYER}.weight as nvfp4`],
    ['float8_e5m2', `${LAYER}.weight as float8_e5m2`],
  ])('of the format %s is refused by its name', async (format, got) => {
    const { written } = await encode()
    const data = markOf(format)
    await writeTensors(path(), [...written, { name: `${LAYER}.comfy_quant`, dtype: 'U8', shape: [data.length], data }])
    await expect(taken.show('transformer')).rejects.toMatchObject({ code: 'model_format', got })
  })

  it('that says a layer is FP8 which is not is refused', async () => {
    const { written } = await encode()
    const layers = { cap_pad: { format: 'float8_e4m3fn' } }
    await writeTensors(path(), written, { _quantization_metadata: JSON.stringify({ layers }) })
    await expect(taken.show('transformer')).rejects.toMatchObject({
      code: 'model_format',
      expected: expect.stringContaining('cap_pad.weight as F8_E4M3'),
    })
  })
})
