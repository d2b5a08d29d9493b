import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import {
  fixtureFolder,
  openCheckpoint,
  readExpected,
  type LanguageModelCheckpoint,
} from '../../test/helpers/language-model-fixture.ts'
import { largestRelativeError } from '../../test/helpers/relative-error.ts'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { writeOutliers } from '../../test/helpers/write-outliers.ts'
import { quantizeWeights } from '../models/quantize/quantize-weights.ts'
import { readSafetensors } from '../models/weights/read-safetensors.ts'
import type { LinearMode } from './layers/weights.ts'
import { writeDequantized } from './test-support/dequantized-checkpoint.ts'
import { LanguageModelRun } from './test-support/language-model-run.ts'

const backend = await cpuBackend()

const PAST = 17

const FORMATS = [
  { name: 'qwen3-gqa2-untied', bits: 8, blockSize: 32 },
  { name: 'qwen3-gqa2-untied', bits: 4, blockSize: 32 },
  { name: 'qwen3-gqa4-sharded', bits: 4, blockSize: 16 },
  { name: 'qwen3-bf16', bits: 8, blockSize: 128 },
  { name: 'qwen3-fp16', bits: 4, blockSize: 64 },
  { name: 'qwen3-gqa4-sharded', bits: 8, blockSize: 'row' },
  // Stays in blocks, beside rows for the same activations.
  { name: 'qwen3-gqa2-untied', bits: 8, blockSize: 'row', outliers: 'model.layers.0.mlp.up_proj.weight' },
] as const

describe.each(FORMATS)('$name in $bits bits, blocks of $blockSize, gives its dequantised logits', (format) => {
  const work = temporaryFolder()
  let quantized: LanguageModelCheckpoint
  let ids: readonly number[]
  let reference: Float32Array
  let rough: readonly string[]

  beforeAll(async () => {
    const folder = join(work, 'source')
    await cp(fixtureFolder(format.name), folder, { recursive: true })
    if ('outliers' in format) await writeOutliers(folder, format.outliers, 10)
    const quantizing = { folder, out: join(work, 'quantized'), bits: format.bits, blockSize: format.blockSize }
    rough = (await quantizeWeights(quantizing)).rough.map(({ name }) => name)
    const source = await openCheckpoint(folder)
    quantized = await openCheckpoint(join(work, 'quantized'))
    await writeDequantized(source, quantized, join(work, 'float'))
    ids = (await readExpected(folder)).ids
    reference = await run({ config: source.config, weights: await readSafetensors(join(work, 'float')) }, 'float')
  })

  async function run(checkpoint: LanguageModelCheckpoint, linear: LinearMode): Promise<Float32Array> {
    const model = await LanguageModelRun.open(backend, checkpoint, 64, { linear })
    await model.prefill(ids.slice(0, PAST), 0)
    const { logits } = await model.branch({ ids: ids.slice(PAST), past: PAST })
    await model.dispose()
    return logits!.data as Float32Array
  }

  it('has matrices with outliers in blocks only', () => {
    expect(rough).toEqual('outliers' in format ? [format.outliers] : [])
  })

  it.each<{ linear: LinearMode; tolerance: number }>([
    { linear: 'float', tolerance: 1e-4 },
    { linear: { accuracyLevel: 0 }, tolerance: format.blockSize === 'row' ? 0.15 : 1e-4 },
    // Activations in int8, and kernels that differ from processor to processor; a wrong layout gives about 1.
    { linear: { accuracyLevel: 4 }, tolerance: 0.15 },
  ])('with linear $linear, within $tolerance', async ({ linear, tolerance }) => {
    const logits = await run(quantized, linear)
    expect(largestRelativeError({ type: 'float32', dims: [], data: logits }, reference)).toBeLessThan(tolerance)
  })
})
