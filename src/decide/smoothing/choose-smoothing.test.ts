import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { writeTinyBundle } from '../../../test/helpers/tiny-bundle.ts'
import { type Backend, createCpuBackend } from '../../backends/index.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { openFolder } from '../../models/index.ts'
import { openFloats } from '../../models/open-model.ts'
import { smoothWeights } from '../../models/quantize/smooth-weights.ts'
import { loadTokenizer } from '../tokenizer/tokenizer.ts'
import { CALIBRATION_TEXT } from './calibration-text.ts'
import { chooseSmoothing, type ChooseSmoothingOptions } from './choose-smoothing.ts'

const openBackend = vi.fn<() => Promise<Backend>>(() => createCpuBackend({ threads: 1 }))
const choose = (files: ModelFiles, options: Partial<ChooseSmoothingOptions> = {}) =>
  chooseSmoothing(files, { openBackend, available: 1e9, ...options })
const fixture = (name: string) => fileURLToPath(new URL(`../../../test/fixtures/${name}`, import.meta.url))

let folder: string
beforeEach(async () => {
  openBackend.mockClear()
  folder = await writeTinyBundle()
})
afterEach(() => rm(folder, { recursive: true }))

it('gives inputs and weights of every channel the same range', async () => {
  const files = openFolder(folder)
  const layers: string[] = []
  const smoothing = (await choose(files, { onLayer: (done, total) => layers.push(`${done}/${total}`) }))!
  expect(layers).toEqual(['1/3', '2/3', '3/3'])
  expect(smoothing.norms.map(({ norm }) => norm)).toEqual(
    [0, 1, 2].flatMap((layer) =>
      ['input', 'post_attention'].map((place) => `model.layers.${layer}.${place}_layernorm.weight`),
    ),
  )
  const factors = smoothing.norms.flatMap((norm) => Array.from(norm.factors))
  expect(factors).toHaveLength(6 * 32)
  expect(Math.max(...factors) / Math.min(...factors)).toBeGreaterThan(1.2)
  // What is smooth is left as it is, by a run of the smoothed model.
  const again = (await choose(smoothWeights(files, smoothing)))!
  for (const { factors } of again.norms) for (const factor of factors) expect(factor).toBeCloseTo(1, 4)
})

it('reads a GGUF file, whose weights lie in no file that sessions open', async () => {
  const smoothing = await choose(openFloats(fixture('gguf/llama.gguf')))
  expect(smoothing!.norms.length).toBeGreaterThan(0)
})

it('leaves channels that are always zero as they are', async () => {
  const files = openFolder(folder)
  const [first] = (await choose(files))!.norms
  const zeros = new Float32Array(32).fill(1)
  zeros[5] = Number.POSITIVE_INFINITY
  const without = smoothWeights(files, { norms: [{ ...first!, matrices: [], factors: zeros }], normsFromOne: false })
  const { factors } = (await choose(without))!.norms[0]!
  expect(factors[5]).toBe(1)
  expect(factors[4]).toBeCloseTo(first!.factors[4]!, 4)
})

it('opens nothing for what is no language model', async () => {
  expect(await choose(openFolder(fixture('nli-bert')))).toBeUndefined()
  expect(openBackend).not.toHaveBeenCalled()
})

it('stops between layers when its signal fires', async () => {
  const controller = new AbortController()
  const onLayer = vi.fn<() => void>(() => controller.abort())
  const run = choose(openFolder(folder), { signal: controller.signal, onLayer })
  await expect(run).rejects.toMatchObject({ code: 'aborted' })
  expect(onLayer).toHaveBeenCalledTimes(1)
})

it('says where a layer does not fit, and what does without it', async () => {
  const run = choose(openFolder(folder), { available: 10_000 })
  await expect(run).rejects.toMatchObject({
    code: 'insufficient_memory',
    remedy: expect.stringContaining('--for portable'),
    available: 10_000,
  })
})

it('reads a text of which every tokenizer makes a few hundred tokens', async () => {
  const { encode } = await loadTokenizer(openFolder(folder))
  expect(encode(CALIBRATION_TEXT).length).toBeGreaterThan(512)
  expect(CALIBRATION_TEXT.length).toBeLessThan(4000)
})
