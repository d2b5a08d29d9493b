import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  fixtureFolder,
  openCheckpoint,
  type LanguageModelCheckpoint,
} from '../../../test/helpers/language-model-fixture.ts'
import { largestRelativeError } from '../../../test/helpers/relative-error.ts'
import type { Backend } from '../../backends/backend.ts'
import { createCpuBackend } from '../../backends/cpu.ts'
import { ModelFormatError } from '../../errors/index.ts'
import { LanguageModelRun } from '../test-support/language-model-run.ts'
import { buildLanguageModel } from './language-model.ts'

const PASS = { ids: [5, 9, 80, 33, 2], past: 0, rows: [4, 1] }

let backend: Backend
let checkpoint: LanguageModelCheckpoint

beforeAll(async () => {
  backend = await createCpuBackend({ threads: 1 })
  checkpoint = await openCheckpoint(fixtureFolder('qwen3-gqa2-untied'))
})
afterAll(() => backend.dispose())

/**
 * The checkpoint with pointer projections that are its token matrices, so that the symbol head tells what to expect.
 */
function withPointer({ config, weights }: LanguageModelCheckpoint): LanguageModelCheckpoint {
  const aliases = new Map([
    ['pointer.query.weight', 'lm_head.weight'],
    ['pointer.key.weight', 'model.embed_tokens.weight'],
  ])
  return { config, weights: { ...weights, get: (name) => weights.get(aliases.get(name) ?? name) } }
}

async function readLogits(tied: boolean): Promise<Float32Array> {
  const config = { ...checkpoint.config, tie_word_embeddings: tied }
  const get = (name: string) => (tied && name === 'lm_head.weight' ? undefined : checkpoint.weights.get(name))
  const run = await LanguageModelRun.open(backend, { config, weights: { ...checkpoint.weights, get } }, 8)
  return (await run.branch(PASS))['logits']!.data as Float32Array
}

it('the pointer head projects the read rows with its own two matrices', async () => {
  const run = await LanguageModelRun.open(backend, withPointer(checkpoint), 8, { head: 'pointer' })
  const { pointer_query: query, pointer_key: key } = await run.branch(PASS)
  expect(query?.dims).toEqual([2, 96])
  expect(largestRelativeError(query, await readLogits(false))).toBeLessThan(1e-5)
  expect(largestRelativeError(key, await readLogits(true))).toBeLessThan(1e-5)
})

it('the vocabulary head gives the logits of all tokens', async () => {
  const run = await LanguageModelRun.open(backend, checkpoint, 8, { head: 'vocabulary' })
  const { logits } = await run.branch(PASS)
  expect(logits?.dims).toEqual([2, checkpoint.config.vocab_size])
  expect(largestRelativeError(logits, await readLogits(false))).toBeLessThan(1e-5)
  await run.dispose()
})

it('a checkpoint without pointer weights is refused by name', () => {
  const { config, weights } = checkpoint
  const options = { graph: 'branch', head: 'pointer', linear: 'float', maxPositions: 8 } as const
  expect(() => buildLanguageModel(config, weights, options)).toThrow(ModelFormatError)
  expect(() => buildLanguageModel(config, weights, options)).toThrow('pointer.query.weight')
})

it('a tensor of another shape than the configuration says is refused by name', () => {
  const config = { ...checkpoint.config, intermediate_size: 128 }
  const options = { graph: 'prefill', linear: 'float', maxPositions: 8 } as const
  const build = () => buildLanguageModel(config, checkpoint.weights, options)
  expect(build).toThrow('model.layers.0.mlp.gate_proj.weight of shape [128,40], got [64,40]')
})
