import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { ggufFixture } from '../gguf/test-support/fixture.ts'
import { type PullOptions, pullModel } from './pull-model.ts'
import { pullQuantized } from './pull-quantized.ts'
import { startFakeHub } from './test-support/fake-hub.ts'

/** A file of weights whose header says that it holds none. */
const WEIGHTS = `\x02${'\0'.repeat(7)}{}`
const GGUF = readFileSync(ggufFixture('llama.gguf'))
const DIVIDED = [1, 2, 3].map((part) => `qwen3-0000${part}-of-00003.gguf`)
const TEXTS = {
  'model_index.json': '{}',
  'text_encoder/config.json': '{}',
  'transformer/config.json': '{}',
  'vae/config.json': '{}',
}
const PIPELINE = {
  ...TEXTS,
  'text_encoder/model.safetensors': WEIGHTS,
  'vae/diffusion_pytorch_model.safetensors': WEIGHTS,
}
type Files = Readonly<Record<string, string | Buffer>>
const manifest = (value: object) => ({ 'tessera.json': JSON.stringify(value) })

let home: string
beforeEach(() => void (home = temporaryFolder()))

/** Pulls twice, with the hub and without it. @returns the folder */
async function pull(files: Files, more: Partial<PullOptions> = {}): Promise<string> {
  await using hub = await startFakeHub(files)
  const env = { HF_HOME: home, HF_ENDPOINT: hub.url }
  const folder = await pullModel({ id: 'owner/model', ...more, env })
  expect(await pullModel({ id: 'owner/model', ...more, env: { ...env, HF_HUB_OFFLINE: '1' } })).toBe(folder)
  return folder
}

it.each<[string, Files, string[]]>([
  ['in its folder', { ...PIPELINE, 'transformer/tiny-Q8_0.gguf': GGUF }, ['transformer/tiny-Q8_0.gguf']],
  [
    'in files that are one',
    {
      ...PIPELINE,
      ...Object.fromEntries(DIVIDED.map((name) => [`transformer/${name}`, readFileSync(ggufFixture(name))])),
    },
    DIVIDED.map((name) => `transformer/${name}`),
  ],
  [
    'at the top',
    { ...PIPELINE, 'a.gguf': GGUF, 'b.gguf': GGUF, ...manifest({ parts: { transformer: './b.gguf' } }) },
    ['b.gguf'],
  ],
  [
    'among others of its folder',
    {
      ...PIPELINE,
      'transformer/a.gguf': GGUF,
      'transformer/b.gguf': GGUF,
      ...manifest({ parts: { transformer: 'transformer/b.gguf' } }),
    },
    ['transformer/b.gguf'],
  ],
  [
    'in another folder',
    { ...PIPELINE, 'gguf/q8/a.gguf': GGUF, ...manifest({ parts: { transformer: 'gguf/q8' } }) },
    ['gguf/q8/a.gguf'],
  ],
  [
    'beside a base',
    { 'a.gguf': GGUF, 'transformer/config.json': '{}', ...manifest({ base: 'a/b', parts: { transformer: 'a.gguf' } }) },
    ['a.gguf', 'transformer/config.json', 'tessera.json'],
  ],
])('fetches a part in GGUF %s, with or without the hub', async (_, files, expected) => {
  const folder = await pull(files)
  expect(expected.filter((path) => !existsSync(join(folder, path)))).toEqual([])
  expect(['transformer/a.gguf', 'a.gguf'].filter((path) => existsSync(join(folder, path)))).toEqual(
    expected.filter((path) => path === 'a.gguf'),
  )
})

it('fetches no part in GGUF where there are safetensors, or it is elsewhere', async () => {
  const both = { ...PIPELINE, 'transformer/a.gguf': GGUF }
  const elsewhere = await pull(both, { without: ['transformer'] })
  expect(existsSync(join(elsewhere, 'transformer/a.gguf'))).toBe(false)
  await rm(home, { recursive: true })
  const folder = await pull({ ...both, 'transformer/model.safetensors': WEIGHTS })
  expect(existsSync(join(folder, 'transformer/a.gguf'))).toBe(false)
})

it.each<[string, Files, string]>([
  ['has none of', { ...PIPELINE }, 'transformer'],
  ['has in another format', { ...PIPELINE, 'transformer/model.bin': 'x' }, 'transformer'],
  ['has several GGUF files for', { ...PIPELINE, 'transformer/a.gguf': 'x', 'transformer/b.gguf': 'y' }, 'transformer'],
  ['has a divided file without its end for', { ...PIPELINE, [`transformer/${DIVIDED[0]}`]: 'x' }, 'transformer'],
  ['names without having', { ...PIPELINE, ...manifest({ base: 'a/b', parts: { vae: 'b.gguf' } }) }, 'vae'],
  ['has nothing of', { ...TEXTS, 'vae/model.safetensors': WEIGHTS }, 'text_encoder, transformer'],
])('refuses a pipeline by the parts that it %s, before anything comes', async (_, files, lacking) => {
  await using hub = await startFakeHub(files)
  await expect(pullModel({ id: 'owner/model', env: { HF_HOME: home, HF_ENDPOINT: hub.url } })).rejects.toMatchObject({
    code: 'model_format',
    file: 'owner/model',
    got: `none for ${lacking}`,
  })
  expect(hub.downloads.filter((file) => !file.startsWith('tessera.json'))).toEqual([])
})

it('fetches of weights those of the parts alone, wherever these are', async () => {
  const files = {
    ...PIPELINE,
    'weights/flux.safetensors': WEIGHTS,
    'weights/flux-fp8.safetensors': WEIGHTS,
    'old/model.safetensors': WEIGHTS,
    'old/model.safetensors.index.json': '{}',
    'unet/config.json': '{}',
    ...manifest({ parts: { transformer: './weights/flux.safetensors' } }),
  }
  const there = async (more: Partial<PullOptions> = {}) => {
    const folder = await pull(files, more)
    const found = Object.keys(files).filter((path) => existsSync(join(folder, path)))
    await rm(home, { recursive: true })
    return found
  }
  const texts = [...Object.keys(TEXTS), 'unet/config.json', 'tessera.json']
  const others = ['text_encoder/model.safetensors', 'vae/diffusion_pytorch_model.safetensors']
  expect((await there()).sort()).toEqual([...texts, ...others, 'weights/flux.safetensors'].sort())
  expect((await there({ without: ['transformer'] })).sort()).toEqual([...texts, ...others].sort())
})

it.each(['controlnet', 'preview_decoder'])(
  'fetches the configuration that lies beside a file of a %s',
  async (part) => {
    const files = {
      ...PIPELINE,
      'transformer/model.safetensors': WEIGHTS,
      'more/union/model.safetensors': WEIGHTS,
      'more/union/config.json': '{}',
      'more/other/config.json': '{}',
      ...manifest({ parts: { [part]: 'more/union/model.safetensors' } }),
    }
    const folder = await pull(files)
    const found = Object.keys(files).filter((path) => path.startsWith('more/') && existsSync(join(folder, path)))
    expect(found).toEqual(['more/union/model.safetensors', 'more/union/config.json'])
  },
)

it('reads no path that leads out of the repository', async () => {
  await using hub = await startFakeHub({ ...PIPELINE, ...manifest({ parts: { transformer: '../../secret.gguf' } }) })
  await expect(pullModel({ id: 'owner/model', env: { HF_HOME: home, HF_ENDPOINT: hub.url } })).rejects.toMatchObject({
    code: 'model_format',
    expected: 'a path within its folder as parts.transformer',
  })
})

it('a pipeline with a part in GGUF is quantised after it was pulled', async () => {
  await using hub = await startFakeHub({ ...PIPELINE, 'transformer/a.gguf': GGUF })
  const options = { id: 'owner/model', out: join(home, 'int8'), bits: 8, blockSize: 32 } as const
  await expect(pullQuantized({ ...options, env: { HF_ENDPOINT: hub.url } })).rejects.toThrow('pulled whole')
})
