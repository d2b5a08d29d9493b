import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import {
  fixtureFolder,
  openCheckpoint,
  readExpected,
  type LanguageModelCheckpoint,
} from '../../test/helpers/language-model-fixture.ts'
import { largestRelativeError } from '../../test/helpers/relative-error.ts'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import type { Precision } from '../backends/backend.ts'
import { quantizeWeights } from '../models/quantize/quantize-weights.ts'
import type { LinearMode } from './layers/weights.ts'
import { halfBound, keepHalfRounding } from './test-support/half-rounding.ts'
import { LanguageModelRun } from './test-support/language-model-run.ts'

const backend = await cpuBackend()

const PAST = 17

describe('a language model in half precision, whose caches are too', () => {
  const work = temporaryFolder()
  beforeEach(keepHalfRounding)
  afterEach(() => vi.restoreAllMocks())

  async function run(
    checkpoint: LanguageModelCheckpoint,
    ids: readonly number[],
    options: { linear?: LinearMode; precision?: Precision; attention?: 'fused' | 'explicit' },
  ): Promise<Float32Array> {
    const model = await LanguageModelRun.open(backend, checkpoint, 64, options)
    await model.prefill(ids.slice(0, PAST), 0)
    const { logits } = await model.branch({ ids: ids.slice(PAST), past: PAST })
    await model.dispose()
    return logits!.data as Float32Array
  }

  it.each([
    { name: 'qwen3-gqa2-untied', attention: 'fused' },
    { name: 'qwen3-gqa2-untied', attention: 'explicit' },
    { name: 'qwen3-fp16', attention: 'fused' },
    { name: 'qwen3-bf16', attention: 'fused' },
  ] as const)('gives the logits of transformers: $name, $attention attention', async ({ name, attention }) => {
    const folder = fixtureFolder(name)
    const { ids, logits } = await readExpected(folder)
    const checkpoint = await openCheckpoint(folder)
    const got = await run(checkpoint, ids, { precision: 'float16', attention })
    const wanted = logits.subarray(PAST * checkpoint.config.vocab_size)
    const error = largestRelativeError({ type: 'float32', dims: [], data: got }, wanted)
    expect(error).toBeLessThan(halfBound(5e-3))
    expect(error).toBeGreaterThan(1e-5)
  })

  it.each([4, 8] as const)('gives on %d-bit weights what float32 gives on them', async (bits) => {
    const folder = fixtureFolder('qwen3-gqa2-untied')
    const out = join(work, `${bits}`)
    await quantizeWeights({ folder, out, bits, blockSize: 32 })
    const [{ ids }, checkpoint] = [await readExpected(folder), await openCheckpoint(out)]
    const whole = await run(checkpoint, ids, { linear: { accuracyLevel: 0 } })
    const half = await run(checkpoint, ids, { linear: { accuracyLevel: 0 }, precision: 'float16' })
    const error = largestRelativeError({ type: 'float32', dims: [], data: half }, whole)
    expect(error).toBeLessThan(halfBound(5e-3))
    expect(error).toBeGreaterThan(1e-5)
  })
})
