import { readFileSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { resolveModel } from '../find/resolve-model.ts'
import { ggufFixture } from '../gguf/test-support/fixture.ts'
import { openModel } from '../open-model.ts'
import { pullModel } from './pull-model.ts'
import { type FakeHub, startFakeHub } from './test-support/fake-hub.ts'

/** Of a divided model, whose header alone is read; the fake hub has texts. */
const PARTS = [1, 2, 3].map((part) => `BF16/tiny-BF16-0000${part}-of-00003.gguf`)
const FILES: Readonly<Record<string, string>> = {
  'README.md': '# Tiny',
  'tiny-Q4_K_M.gguf': 'four bits',
  'tiny-Q8_0.gguf': 'eight bits',
  'mmproj-tiny-F16.gguf': 'a projector',
  ...Object.fromEntries(PARTS.map((path) => [path, path])),
}

let home: string
beforeEach(() => void (home = temporaryFolder()))

const pull = (hub: FakeHub, id: string, more: object = {}) =>
  pullModel({ id, env: { HF_HOME: home, HF_ENDPOINT: hub.url, ...more } })
const names = (hub: FakeHub) => hub.downloads.map((line) => line.split(' ')[0])
const resolve = (id: string) => resolveModel(id, { HF_HOME: home })

it('fetches the file whose name has what is asked for, and finds it by the same name', async () => {
  await using hub = await startFakeHub(FILES)
  const path = await pull(hub, 'owner/model:q4_k_m')
  expect(names(hub)).toEqual(['README.md', 'tiny-Q4_K_M.gguf'])
  expect(readFileSync(path, 'utf8')).toBe('four bits')
  const found = { id: 'owner/model:tiny-Q4_K_M.gguf', folder: path, embedded: false }
  expect(await resolve('owner/model:Q4_K_M')).toEqual(found)
  expect(await resolve(found.id)).toEqual(found)
  // As long as it is the only one, its repository stands for it.
  expect((await resolve('owner/model')).folder).toBe(path)
  await pull(hub, 'owner/model:tiny-Q8_0.gguf')
  await expect(resolve('owner/model')).rejects.toMatchObject({
    code: 'model_not_found',
    tried: ['GGUF files of owner/model, of which it fits tiny-Q4_K_M.gguf, tiny-Q8_0.gguf'],
    command: 'the same with owner/model:tiny-Q4_K_M.gguf, or another of them',
  })
})

it('fetches all files of a divided model', async () => {
  await using hub = await startFakeHub(FILES)
  const path = await pull(hub, 'owner/model:BF16')
  expect(names(hub)).toEqual(['README.md', ...PARTS])
  expect(path.replaceAll('\\', '/').endsWith(PARTS[0]!)).toBe(true)
})

it.each([
  ['owner/model', 'BF16/tiny-BF16-00001-of-00003.gguf, tiny-Q4_K_M.gguf, tiny-Q8_0.gguf'],
  ['owner/model:Q6_K', 'Q6_K of BF16/tiny-BF16-00001-of-00003.gguf, tiny-Q4_K_M.gguf, tiny-Q8_0.gguf'],
  ['owner/model:tiny-Q', 'tiny-Q of tiny-Q4_K_M.gguf, tiny-Q8_0.gguf'],
])('%s is refused with the files that there are', async (id, got) => {
  await using hub = await startFakeHub(FILES)
  await expect(pull(hub, id)).rejects.toMatchObject({ code: 'model_format', got })
  expect(hub.downloads).toEqual([])
})

it('takes the one file of a repository, and names a part that is missing', async () => {
  await using one = await startFakeHub({ 'model.gguf': 'x' })
  expect(readFileSync(await pull(one, 'owner/model'), 'utf8')).toBe('x')
  const { [PARTS[1]!]: _, ...others } = FILES
  await using broken = await startFakeHub(others)
  await expect(pull(broken, 'owner/model:BF16')).rejects.toMatchObject({
    code: 'model_format',
    expected: `${PARTS[1]}, a part of the model`,
  })
})

it('without the hub it takes what is there, if its header is whole', async () => {
  const bytes = readFileSync(ggufFixture('llama.gguf')).toString('latin1')
  // The hub gives texts in UTF-8, so that only a file of seven-bit characters would arrive as it is.
  await using hub = await startFakeHub({ 'model.gguf': bytes })
  await pull(hub, 'owner/model')
  const offline = pull(hub, 'owner/model', { HF_HUB_OFFLINE: '1' })
  await expect(offline).rejects.toMatchObject({
    code: 'download_failed',
    message: expect.stringContaining('not whole'),
  })
})

it('leaves the weights of a part of a pipeline where they are', async () => {
  const text = (name: string) => [`${name}/config.json`, `${name}/diffusion_pytorch_model.safetensors`]
  const paths = ['model_index.json', ...text('text_encoder'), ...text('transformer'), ...text('vae')]
  await using hub = await startFakeHub(Object.fromEntries(paths.map((path) => [path, path])))
  const without = ['transformer'] as const
  await pullModel({ id: 'owner/model', without, env: { HF_HOME: home, HF_ENDPOINT: hub.url } })
  expect(names(hub).sort()).toEqual(paths.filter((path) => path !== text('transformer')[1]))
})

it('of an index of a pipeline beside GGUF files in folders that are no parts, one of those is the model', async () => {
  const index = { 'model_index.json': '{}', 'flux.safetensors': 'the network once more' }
  await using several = await startFakeHub({ ...index, 'Q4/a-Q4.gguf': 'x', 'Q8/a-Q8.gguf': 'y' })
  await expect(pull(several, 'owner/model')).rejects.toMatchObject({
    code: 'model_format',
    expected: 'owner/model:NAME, a part of the name of one GGUF file',
    got: 'Q4/a-Q4.gguf, Q8/a-Q8.gguf',
  })
  await using one = await startFakeHub({ ...index, 'Q4/a-Q4.gguf': 'x' })
  expect(readFileSync(await pull(one, 'owner/model'), 'utf8')).toBe('x')
})

it('an index of a pipeline whose weights are of other parts is refused by the parts that it lacks', async () => {
  await using hub = await startFakeHub({ 'model_index.json': '{}', 'unet/model.safetensors': 'x' })
  await expect(pull(hub, 'owner/model')).rejects.toMatchObject({
    code: 'model_format',
    got: 'none for text_encoder, transformer, vae',
  })
  expect(hub.downloads).toEqual([])
})

it('a file of the hub is opened by the name of the link to it', async () => {
  await using hub = await startFakeHub({ 'a-00001-of-00002.gguf': 'x', 'a-00002-of-00002.gguf': 'y' })
  const path = await pull(hub, 'owner/model')
  await expect(openModel(path).readText('config.json')).rejects.toThrow(
    'a-00001-of-00002.gguf: expected a whole GGUF header',
  )
})
