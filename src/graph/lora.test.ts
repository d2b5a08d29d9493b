import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { fixtureFolder } from '../../test/helpers/language-model-fixture.ts'
import { readFloats, readIntegers } from '../../test/helpers/read-tensor.ts'
import { largestRelativeError } from '../../test/helpers/relative-error.ts'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import type { Precision } from '../backends/backend.ts'
import type { QuantizationConfig } from '../models/configs/quantization-config.ts'
import { type ChosenLora, openModel, parseLanguageModelConfig, readSafetensors, withLora } from '../models/index.ts'
import { quantizeWeights } from '../models/quantize/quantize-weights.ts'
import { indexWeights } from '../models/weights/index-weights.ts'
import { SafetensorsWriter } from '../models/weights/safetensors-writer.ts'
import type { LinearMode } from './layers/weights.ts'
import { LanguageModelRun } from './test-support/language-model-run.ts'

const BASE = fixtureFolder('qwen3-gqa2-untied')
const lora = (name: string, scale = 1): ChosenLora => ({ path: fixtureFolder(`lora/${name}`), scale })
const CHOICES = {
  plain: [lora('plain')],
  stabilised: [lora('stabilised')],
  lokr: [lora('lokr')],
  'lokr-whole': [lora('lokr-whole')],
  patterns: [lora('patterns')],
  caret: [lora('caret')],
  two: [lora('plain', 0.5), lora('stabilised', 2)],
}
type Choice = keyof typeof CHOICES

const backend = await cpuBackend()
const work = temporaryFolder()
let ids: readonly number[]
beforeAll(async () => {
  ids = readIntegers(await readSafetensors(fixtureFolder('lora/plain/expected.safetensors')), 'input_ids')
})

async function compute(folder: string, loras: readonly ChosenLora[], linear: LinearMode, precision?: Precision) {
  const files = withLora(openModel(folder), loras)
  const config = parseLanguageModelConfig(JSON.parse((await files.readText('config.json'))!), folder)
  const run = await LanguageModelRun.open(backend, { config, weights: await indexWeights(files) }, 64, {
    linear,
    ...(precision && { precision }),
  })
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
    { bits: 8, blockSize: 32, near: 0.08, apart: 1e-4 },
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

it('is refused by a model whose channels are smoothed', async () => {
  const out = join(work, 'smoothed')
  const norm = { norm: 'model.layers.0.input_layernorm.weight', matrices: [], factors: new Float32Array(40).fill(1) }
  const chooseSmoothing = async () => ({ norms: [norm], normsFromOne: false })
  await quantizeWeights({ folder: BASE, out, bits: 8, blockSize: 'row', chooseSmoothing })
  await compute(out, [], 'float')
  await expect(compute(out, CHOICES.plain, 'float')).rejects.toMatchObject({
    code: 'model_format',
    got: expect.stringContaining('smoothed'),
  })
})

/** Copies of the base whose numbers have 8 bits, in BF16 and in F32. */
async function writeRounded(dtype: 'BF16' | 'F32'): Promise<string> {
  const folder = join(work, dtype)
  await mkdir(folder)
  await copyFile(join(BASE, 'config.json'), join(folder, 'config.json'))
  const base = await readSafetensors(BASE)
  const plans = base.names.map((name) => ({ name, shape: base.get(name)!.shape, dtype }))
  const writer = await SafetensorsWriter.create(join(folder, 'model.safetensors'), plans, {})
  for (const { name } of plans) {
    const bits = new Uint32Array(readFloats(base, name).buffer)
    const halves = Uint16Array.from(bits, (word) => word >>> 16)
    await writer.append(name, dtype === 'BF16' ? halves : Uint32Array.from(halves, (half) => half << 16))
  }
  await writer.close()
  return folder
}

it('halves stay as they are stored, and give what the same numbers in float32 give', async () => {
  const [halves, floats] = [await writeRounded('BF16'), await writeRounded('F32')]
  const choices = [lora('plain', 0.5), lora('stabilised', 2), lora('lokr')]
  const beside = await compute(halves, choices, 'float')
  expect(largestRelativeError(beside, (await compute(floats, choices, 'float')).data as Float32Array)).toBeLessThan(
    1e-4,
  )
  const precise = await compute(halves, choices, 'float', 'float16')
  const error = largestRelativeError(precise, beside.data as Float32Array)
  expect([error > 1e-6, error < 0.03]).toEqual([true, true])
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
