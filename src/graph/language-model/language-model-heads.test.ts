import { beforeAll, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import {
  fixtureFolder,
  openCheckpoint,
  type LanguageModelCheckpoint,
} from '../../../test/helpers/language-model-fixture.ts'
import { largestRelativeError } from '../../../test/helpers/relative-error.ts'
import { LanguageModelRun } from '../test-support/language-model-run.ts'
import { buildLanguageModel } from './language-model.ts'

const PASS = { ids: [5, 9, 80, 33, 2], past: 0, rows: [4, 1] }

const backend = await cpuBackend()
let checkpoint: LanguageModelCheckpoint

beforeAll(async () => {
  checkpoint = await openCheckpoint(fixtureFolder('qwen3-gqa2-untied'))
})

async function readLogits(): Promise<Float32Array> {
  const run = await LanguageModelRun.open(backend, checkpoint, 8)
  return (await run.branch(PASS))['logits']!.data as Float32Array
}

it('the vocabulary head gives the logits of all tokens', async () => {
  const run = await LanguageModelRun.open(backend, checkpoint, 8, { head: 'vocabulary' })
  const { logits } = await run.branch(PASS)
  expect(logits?.dims).toEqual([2, checkpoint.config.vocab_size])
  expect(largestRelativeError(logits, await readLogits())).toBeLessThan(1e-5)
  await run.dispose()
})

it('a tensor of another shape than the configuration says is refused by name', () => {
  const config = { ...checkpoint.config, intermediate_size: 128 }
  const options = { graph: 'prefill', linear: 'float', maxPositions: 8 } as const
  const build = () => buildLanguageModel(config, checkpoint.weights, options)
  expect(build).toThrow('model.layers.0.mlp.gate_proj.weight of shape [128,40], got [64,40]')
})
