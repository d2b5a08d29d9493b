import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { materializeBundle, type ImageBundle } from '../../../test/helpers/image-bundle.ts'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { readFloats } from '../../../test/helpers/read-tensor.ts'
import { largestRelativeError } from '../../../test/helpers/relative-error.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { type ChosenLora, openFolder, readSafetensors, withLora } from '../../models/index.ts'
import { quantizeWeights } from '../../models/quantize/quantize-weights.ts'
import { indexWeights } from '../../models/weights/index-weights.ts'
import type { LinearMode } from '../layers/weights.ts'
import { forwardFlux2 } from '../test-support/forward-flux2.ts'
import { forwardZImage } from '../test-support/forward-z-image.ts'

const backend = await cpuBackend()

/** Files, how strong each is, and which result of diffusers that is; see generate-image-lora-fixtures.py. */
const CHOICES: readonly { files: Readonly<Record<string, number>>; result: string; klein?: true }[] = [
  { files: { peft: 1 }, result: 'first' },
  { files: { 'diffusers.safetensors': 1 }, result: 'first' },
  { files: { 'kohya.safetensors': 1 }, result: 'first' },
  { files: { 'original.safetensors': 1 }, result: 'first' },
  { files: { 'diffusers.safetensors': 0.5, 'second.safetensors': 2 }, result: 'two' },
  { files: { 'lokr.safetensors': 1 }, result: 'lokr' },
  { files: { 'fused.safetensors': 1 }, result: 'fused', klein: true },
]

describe.each([
  { name: 'z-image-turbo', forward: forwardZImage },
  { name: 'klein-distilled', forward: forwardFlux2 },
] as const)('$name with adapters', ({ name, forward }) => {
  const work = temporaryFolder()
  let bundle: ImageBundle
  beforeAll(async () => {
    bundle = await materializeBundle(name)
    for (const bits of [4, 8] as const) {
      await quantizeWeights({
        folder: join(bundle.folder, 'transformer'),
        out: join(work, `${bits}`),
        bits,
        blockSize: 32,
      })
    }
  })
  afterAll(() => bundle.remove())

  async function compute(folder: string, files: Readonly<Record<string, number>>, linear: LinearMode) {
    const loras = Object.entries(files).map(([file, scale]): ChosenLora => {
      return { path: fixtureFolder(`lora-images/${name}/${file}`), scale }
    })
    const weights = await indexWeights(withLora(openFolder(folder), loras))
    return forward(backend, { expected: bundle.expected, run: 0 }, openFolder(folder), { linear }, weights)
  }

  const choices = CHOICES.filter(({ klein }) => klein === undefined || name.startsWith('klein'))
  it.each(choices)(
    '$files agree with diffusers, and beside quantised weights with themselves in them',
    async ({ files, result }) => {
      const folder = join(bundle.folder, 'transformer')
      const expected = readFloats(
        await readSafetensors(fixtureFolder(`lora-images/${name}/expected.safetensors`)),
        result,
      )
      expect(largestRelativeError(await compute(folder, files, 'float'), expected)).toBeLessThan(2e-5)
      expect(largestRelativeError(await compute(folder, {}, 'float'), expected)).toBeGreaterThan(0.02)
      for (const bits of [4, 8]) {
        const quantized = join(work, `${bits}`)
        const merged = await compute(quantized, files, 'float')
        const beside = await compute(quantized, files, { accuracyLevel: 0 })
        expect(largestRelativeError(beside, merged.data as Float32Array)).toBeLessThan(1e-4)
        expect(largestRelativeError(beside, expected)).toBeLessThan(bits === 8 ? 0.05 : 0.8)
      }
    },
  )
})
