import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixtureFolder } from '../../test/helpers/language-model-fixture.ts'
import { readFloats, readIntegers } from '../../test/helpers/read-tensor.ts'
import { largestRelativeError } from '../../test/helpers/relative-error.ts'
import type { Backend } from '../backends/backend.ts'
import { createCpuBackend } from '../backends/cpu.ts'
import { indexWeights } from '../models/index-weights.ts'
import { type ChosenLora, openModel, parseLanguageModelConfig, readSafetensors, withLora } from '../models/index.ts'
import type { QuantizationConfig } from '../models/quantization-config.ts'
import { quantizeWeights } from '../models/quantize-weights.ts'
import type { LinearMode } from './layers/weights.ts'
import { LanguageModelRun } from './test-support/language-model-run.ts'

const BASE = fixtureFolder('qwen3-gqa2-untied')
const lora = (name: string, scale = 1): ChosenLora => ({ path: fixtureFolder(`lora/${name}`), scale })
const CHOICES = {
  plain: [lora('plain')],
  stabilised: [lora('stabilised')],
  lokr: [lora('lokr')],
  patterns: [lora('patterns')],
  two: [lora('plain', 0.5), lora('stabilised', 2)],
}
type Choice = keyof typeof CHOICES

let backend: Backend
let work: string
let ids: readonly number[]
beforeAll(async () => {
  backend = await createCpuBackend({ threads: 1 })
  work = await mkdtemp(join(tmpdir(), 'tessera-lora-'))
  ids = readIntegers(await readSafetensors(fixtureFolder('lora/plain/expected.safetensors')), 'input_ids')
})
afterAll(async () => {
  await backend.dispose()
  await rm(work, { recursive: true })
})

async function compute(folder: string, loras: readonly ChosenLora[], linear: LinearMode) {
  const files = withLora(openModel(folder), loras)
  const config = parseLanguageModelConfig(JSON.parse((await files.readText('config.json'))!), folder)
  const run = await LanguageModelRun.open(backend, { config, weights: await indexWeights(files) }, 64, { linear })
  const { logits } = await run.branch({ ids, past: 0 })
  await run.dispose()
  return logits!
}

async function readExpected(choice: Choice): Promise<Float32Array> {
  const file = choice === 'two' ? 'two.safetensors' : `${choice}/expected.safetensors`
  return readFloats(await readSafetensors(fixtureFolder(`lora/${file}`)), 'logits')
}

describe.each(Object.keys(CHOICES) as Choice[])('a language model with %s', (choice) => {
  it('agrees with peft on float weights', async () => {
    const expected = await readExpected(choice)
    expect(largestRelativeError(await compute(BASE, CHOICES[choice], 'float'), expected)).toBeLessThan(1e-4)
    // The adapters do something: the base is far from what they give.
    expect(largestRelativeError(await compute(BASE, [], 'float'), expected)).toBeGreaterThan(0.1)
  })

  it.each<{ bits: 4 | 8; blockSize: QuantizationConfig['block_size']; near: number; apart: number }>([
    { bits: 8, blockSize: 32, near: 0.05, apart: 1e-4 },
    { bits: 4, blockSize: 32, near: 1, apart: 1e-4 },
    // Rows of 8 bits meet activations that are rounded to 8 bits.
    { bits: 8, blockSize: 'row', near: 0.25, apart: 0.15 },
  ])('computes beside products with $bits bits in blocks of $blockSize what it is in them', async (format) => {
    const out = join(work, `${choice}-${format.bits}-${format.blockSize}`)
    await quantizeWeights({ folder: BASE, out, bits: format.bits, blockSize: format.blockSize })
    const merged = await compute(out, CHOICES[choice], 'float')
    const beside = await compute(out, CHOICES[choice], { accuracyLevel: 0 })
    expect(largestRelativeError(beside, merged.data as Float32Array)).toBeLessThan(format.apart)
    expect(largestRelativeError(beside, await readExpected(choice))).toBeLessThan(format.near)
  })
})

it('a scale of 0 gives what the base gives, to the bit', async () => {
  const base = await compute(BASE, [], 'float')
  const zero = await compute(BASE, [lora('plain', 0), lora('lokr', 0)], 'float')
  expect(zero.data).toEqual(base.data)
})

it('changes of what no product reads are refused by name', async () => {
  const files = withLora(openModel(BASE), [lora('plain')])
  const weights = await indexWeights(files)
  const changes = new Map([
    ['model.embed_tokens.weight', weights.changes!.get('model.layers.0.self_attn.q_proj.weight')!],
  ])
  const config = parseLanguageModelConfig(JSON.parse((await files.readText('config.json'))!), BASE)
  await expect(LanguageModelRun.open(backend, { config, weights: { ...weights, changes } }, 64)).rejects.toMatchObject({
    code: 'model_format',
    got: 'model.embed_tokens.weight',
  })
})
