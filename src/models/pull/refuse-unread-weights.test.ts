import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { pullModel } from './pull-model.ts'
import { startFakeHub } from './test-support/fake-hub.ts'

let home: string
beforeEach(() => void (home = temporaryFolder()))

const stored = (quantization: object) => JSON.stringify({ quantization_config: quantization })
const nf4 = stored({ quant_method: 'bitsandbytes', load_in_4bit: true })
const gptq = { quant_method: 'gptq', bits: 4, group_size: 128 }
const pipeline = (config: string) => ({
  'model_index.json': '{}',
  'text_encoder/config.json': '{}',
  'text_encoder/model.safetensors': 'weights',
  'transformer/config.json': config,
  'transformer/model.safetensors': 'other weights',
  'vae/model.safetensors': 'and others',
})
const model = (config: string) => ({ 'a.txt': 'a', 'model.safetensors': 'weights', 'config.json': config })

it.each([
  ['bitsandbytes', 'config.json', model(nf4)],
  ['mxfp4', 'config.json', model(stored({ quant_method: 'mxfp4' }))],
  ['quantization_config.desc_act', 'config.json', model(stored({ ...gptq, desc_act: true }))],
  ['bitsandbytes', 'transformer/config.json', pipeline(nf4)],
  ['gptq', 'transformer/config.json', pipeline(stored(gptq))],
  ['bitsandbytes', 'config.json', model(nf4.replace('{', '{"time_step_limit": [0, Infinity],'))],
])('refuses what %s quantised by %s, twice, before weights come', async (named, file, files) => {
  await using hub = await startFakeHub(files)
  const pull = () => pullModel({ id: 'owner/model', env: { HF_HOME: home, HF_ENDPOINT: hub.url } })
  for (let time = 0; time < 2; time++) {
    await expect(pull()).rejects.toMatchObject({ code: 'model_format', file: `owner/model/${file}` })
    await expect(pull()).rejects.toThrow(named)
  }
  expect(hub.downloads.filter((path) => !/config\.json/.test(path))).toEqual([])
})

it.each([
  ['FP8', model(stored({ quant_method: 'fp8' })), []],
  ['GPTQ', model(stored(gptq)), []],
  ['what this library quantised', model(stored({ quant_method: 'tessera', bits: 8, block_size: 128 })), []],
  ['what is no JSON', model('<html>'), []],
  ['FP8 of a part', pipeline(stored({ quant_method: 'fp8' })), []],
  ['a part whose weights are elsewhere', pipeline(nf4), ['transformer']],
] as const)('fetches %s', async (_, files, without) => {
  await using hub = await startFakeHub(files)
  const env = { HF_HOME: home, HF_ENDPOINT: hub.url }
  await expect(pullModel({ id: 'owner/model', without, env })).resolves.toBeTypeOf('string')
})
