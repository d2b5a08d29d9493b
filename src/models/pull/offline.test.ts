import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { resolveModel } from '../find/resolve-model.ts'
import { ggufFixture } from '../gguf/test-support/fixture.ts'
import { PIPELINE_PARTS } from '../pipeline-parts.ts'
import { type PullOptions, pullModel } from './pull-model.ts'
import { COMMIT, startFakeHub } from './test-support/fake-hub.ts'

let home: string
beforeEach(() => void (home = temporaryFolder()))

const offline = (more: Partial<PullOptions> = {}) =>
  pullModel({ id: 'owner/model', ...more, env: { HF_HOME: home, HF_HUB_OFFLINE: '1' } })
/** A file of weights whose header says that it holds none. */
const WEIGHTS = `\x02${'\0'.repeat(7)}{}`

it('takes the revision that is asked for, or none', async () => {
  await using hub = await startFakeHub({ 'config.json': '{}', 'model.safetensors': WEIGHTS })
  const folder = await pullModel({ id: 'owner/model', env: { HF_HOME: home, HF_ENDPOINT: hub.url } })
  expect(await offline({ revision: 'main' })).toBe(folder)
  expect(await offline({ revision: COMMIT })).toBe(folder)
  await expect(offline({ revision: 'v2' })).rejects.toMatchObject({
    code: 'download_failed',
    message: expect.stringContaining('has no copy of its revision v2'),
  })
})

it('asks for the weights of no part that is to come without', async () => {
  const files = PIPELINE_PARTS.flatMap(({ folder }) => [
    [`${folder}/config.json`, '{}'],
    [`${folder}/model.safetensors`, WEIGHTS],
  ])
  await using hub = await startFakeHub({ 'model_index.json': '{}', ...Object.fromEntries(files) })
  const without = ['transformer'] as const
  const folder = await pullModel({ id: 'owner/model', without, env: { HF_HOME: home, HF_ENDPOINT: hub.url } })
  expect(await offline({ without })).toBe(folder)
  await expect(offline()).rejects.toThrow('the copy is not whole')
})

it('takes the folder of a repository that has a GGUF file beside it, as its name does', async () => {
  await using hub = await startFakeHub({ 'config.json': '{}', 'model.safetensors': WEIGHTS, 'tiny-Q4_K_M.gguf': 'x' })
  const env = { HF_HOME: home, HF_ENDPOINT: hub.url }
  const folder = await pullModel({ id: 'owner/model', env })
  await pullModel({ id: 'owner/model:q4', env })
  expect((await resolveModel('owner/model', env)).folder).toBe(folder)
  expect(await offline()).toBe(folder)
})

it.each([
  ['an adapter of peft', { 'adapter_config.json': '{}', 'adapter_model.safetensors': WEIGHTS }],
  ['an adapter of diffusers', { 'pytorch_lora_weights.safetensors': WEIGHTS }],
  ['adapters of any name', { 'ink.safetensors': WEIGHTS, 'wash.safetensors': WEIGHTS }],
  ['a transformer alone', { 'config.json': '{}', 'z_image_turbo_bf16.safetensors': WEIGHTS }],
])('takes the folder of %s, as long as its files are whole', async (_, files: Readonly<Record<string, string>>) => {
  await using hub = await startFakeHub(files)
  const folder = await pullModel({ id: 'owner/model', env: { HF_HOME: home, HF_ENDPOINT: hub.url } })
  expect(await offline()).toBe(folder)
  await writeFile(join(folder, Object.keys(files).at(-1)!), 'cut off')
  await expect(offline()).rejects.toThrow('the copy is not whole')
})

it.each([
  ['a shard', 'model-00001-of-00002.safetensors'],
  ['a head', 'head.safetensors'],
])('takes %s for no model', async (_, name) => {
  await using hub = await startFakeHub({ 'config.json': '{}', [name]: WEIGHTS })
  await pullModel({ id: 'owner/model', env: { HF_HOME: home, HF_ENDPOINT: hub.url } })
  await expect(offline()).rejects.toThrow('the copy is not whole')
})

it('takes the file of a repository of GGUF files', async () => {
  const gguf = readFileSync(ggufFixture('llama.gguf'))
  await using hub = await startFakeHub({ 'config.json': '{}', 'tiny-Q8_0.gguf': gguf })
  const file = await pullModel({ id: 'owner/model', env: { HF_HOME: home, HF_ENDPOINT: hub.url } })
  expect(await offline()).toBe(file)
  expect(await offline({ id: 'owner/model:q8' })).toBe(file)
})
