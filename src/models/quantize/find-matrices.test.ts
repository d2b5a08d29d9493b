import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { materializeBundle } from '../../../test/helpers/image-bundle.ts'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { ModelFormatError } from '../../errors/index.ts'
import { readModelConfig } from '../configs/model-config.ts'
import { openFolder } from '../files/model-folder.ts'
import { readSafetensors } from '../weights/read-safetensors.ts'
import { findMatrices } from './find-matrices.ts'
import { quantizeWeights } from './quantize-weights.ts'

let work: string
beforeEach(() => void (work = temporaryFolder()))

/** Names of all matrices in a folder, and of those that are quantised. */
async function listMatrices(folder: string) {
  const [{ names, get }, matrices] = await Promise.all([
    readSafetensors(folder),
    readModelConfig(openFolder(folder)).then(findMatrices),
  ])
  const all = names.filter((name) => get(name)!.shape.length === 2 && name.endsWith('.weight'))
  return { all, quantised: all.filter((name) => matrices.test(name)) }
}

it.each([
  'qwen3-gqa2-untied',
  'qwen2-bf16',
  'llama-yarn',
  'gemma3-window',
  'nli-bert',
  'bert-tree',
  'nli-modernbert',
  'opendecider-nano',
])('every matrix of %s is named', async (name) => {
  const { all, quantised } = await listMatrices(fixtureFolder(name))
  expect(quantised.length).toBeGreaterThan(5)
  expect(quantised).toEqual(all)
})

it.each(['laya', 'julia'])('every matrix of %s is named but those that read single rows', async (name) => {
  const [{ names, get }, matrices] = await Promise.all([
    readSafetensors(fixtureFolder(name)),
    readModelConfig(openFolder(fixtureFolder(name))).then(findMatrices),
  ])
  const left = names.filter(
    (tensor) => get(tensor)!.shape.length === 2 && !matrices.test(tensor) && !tensor.startsWith('act_head'),
  )
  expect(left.toSorted()).toEqual(['scorer.1.weight', 'scorer.3.weight', 'type_emb.weight'])
  expect(names.filter((tensor) => matrices.test(tensor)).length).toBeGreaterThan(10)
})

it.each(['z-image-turbo', 'klein-distilled'] as const)('so is every one of %s', async (name) => {
  await using bundle = await materializeBundle(name)
  for (const part of ['transformer', 'text_encoder']) {
    const { all, quantised } = await listMatrices(join(bundle.folder, part))
    expect(quantised.length).toBeGreaterThan(5)
    expect(quantised).toEqual(all)
  }
})

it('a matrix that no graph reads in fewer bits is none of them', async () => {
  const matrices = findMatrices(await readModelConfig(openFolder(fixtureFolder('nli-modernbert'))))
  expect(matrices.test('type_emb.weight')).toBe(false)
})

it('a checkpoint of a kind that is not known is not quantised, and says what it is', async () => {
  const folder = join(work, 'other')
  await cp(fixtureFolder('qwen3-mha-tied'), folder, { recursive: true })
  const config = await readFile(join(folder, 'config.json'), 'utf8')
  await writeFile(join(folder, 'config.json'), config.replaceAll('Qwen3ForCausalLM', 'OtherForCausalLM'))
  const run = quantizeWeights({ folder, out: join(work, 'out'), bits: 8, blockSize: 32 })
  await expect(run).rejects.toThrow(ModelFormatError)
  await expect(run).rejects.toThrow('OtherForCausalLM')
})
