import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { materializeBundle, type ImageBundle } from '../../../test/helpers/image-bundle.ts'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { readFloats } from '../../../test/helpers/read-tensor.ts'
import { largestRelativeError } from '../../../test/helpers/relative-error.ts'
import { asFloats, toSingleFile, writeTensors } from '../../../test/helpers/single-files.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { type GgufWritten, writeGguf } from '../../../test/helpers/write-gguf.ts'
import { openModel, readSafetensors, unpackWeights, withLora } from '../../models/index.ts'
import { indexWeights } from '../../models/weights/index-weights.ts'
import type { LinearMode } from '../layers/weights.ts'
import { forwardFlux2 } from '../test-support/forward-flux2.ts'
import { forwardZImage } from '../test-support/forward-z-image.ts'

const backend = await cpuBackend()

describe.each([
  { name: 'z-image-turbo', forward: forwardZImage },
  { name: 'klein-distilled', forward: forwardFlux2 },
] as const)('adapters beside one file of $name by the names of its authors', ({ name, forward }) => {
  const work = temporaryFolder()
  let bundle: ImageBundle
  beforeAll(async () => {
    bundle = await materializeBundle(name)
  })
  afterAll(() => bundle.remove())

  async function compute(file: string, linear: LinearMode) {
    const loras = [{ path: fixtureFolder(`lora-images/${name}/${file}`), scale: 1 }]
    const files = withLora(openModel(bundle.folder), loras).within('transformer')
    const { changes } = await indexWeights(files)
    const env = { TESSERA_CACHE: join(work, 'cache') }
    const path = join(bundle.folder, 'transformer')
    const unpacked = await unpackWeights((await files.made!())!, path, new AbortController().signal, env)
    const weights = { ...(await readSafetensors(unpacked)), changes: changes! }
    return forward(backend, { expected: bundle.expected, run: 0 }, files, { linear }, weights)
  }

  it('agree with diffusers on float32, and beside blocks of GGUF with the same blocks expanded', async () => {
    const folder = join(bundle.folder, 'transformer')
    const stored = toSingleFile(name, 'transformer', await readSafetensors(folder))
    await rm(join(folder, 'diffusion_pytorch_model.safetensors'))
    const single = join(folder, 'any-name.safetensors')
    await writeTensors(single, asFloats(stored))
    const results = await readSafetensors(fixtureFolder(`lora-images/${name}/expected.safetensors`))
    const expected = readFloats(results, 'first')
    for (const file of ['diffusers.safetensors', 'original.safetensors']) {
      expect(largestRelativeError(await compute(file, 'float'), expected)).toBeLessThan(2e-5)
    }
    await rm(single)
    const tensors = Array.from(stored, ([key, tensor]) => {
      const type: GgufWritten = tensor.shape.length === 2 && tensor.shape[1]! % 32 === 0 ? 'Q8_0' : 'F32'
      return [key, { ...tensor, type }] as const
    })
    await writeGguf(join(folder, 'model.gguf'), {}, new Map(tensors))
    const merged = await compute('original.safetensors', 'float')
    const beside = await compute('original.safetensors', { accuracyLevel: 0 })
    expect(largestRelativeError(beside, merged.data as Float32Array)).toBeLessThan(1e-4)
    expect(largestRelativeError(beside, expected)).toBeLessThan(0.05)
  })
})
