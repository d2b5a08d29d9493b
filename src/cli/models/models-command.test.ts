import { copyFile, mkdir, readdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { openModel, unpackWeights } from '../../models/index.ts'
import { runTessera } from '../test-support/run-tessera.ts'

const FIXTURE = join(import.meta.dirname, '../../../test/fixtures/qwen3-bf16')
let home: string
beforeEach(() => {
  home = temporaryFolder()
  vi.stubEnv('HF_HOME', home)
  vi.stubEnv('TESSERA_CACHE', join(home, 'none'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
})

const run = (...args: string[]) => runTessera('models', ...args)
const print = async (...args: string[]) => (await run(...args)).stdout

/** Puts a model into the cache that is whole but for its weights. */
async function download(): Promise<void> {
  const folder = join(home, 'hub/models--owner--half/snapshots/abc')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'config.json'), '{}')
}

it('lists what serves each name and what was downloaded', async () => {
  expect(await print()).toMatch(/decide-latest +.*decide-mini[\s\S]*nothing downloaded/)
  await download()
  expect(await print('--use', 'decide-mini')).toMatch(/downloaded:\nowner\/half +2 B +not whole/)
  const { served, downloaded } = JSON.parse(await print('list', '--json'))
  expect(served.map(({ name }: { name: string }) => name)).toContain('decide-latest')
  expect(downloaded).toMatchObject([{ id: 'owner/half', bytes: 2 }])
})

it('shows what a model says it is', async () => {
  const shown = JSON.parse(await print('show', FIXTURE, '--json'))
  expect(shown).toMatchObject({ kind: 'decisions', architecture: 'Qwen3ForCausalLM', weights: 'BF16' })
  expect(shown.bytes).toBe(2 * shown.parameters)
  expect(shown.memory.reason).toContain('tokenizer.json')
  const whole = JSON.parse(await print('show', join(FIXTURE, '../opendecider-small'), '--json'))
  // The weights of a few kilobytes are nothing beside what any session takes.
  expect(whole.memory.open).toBeGreaterThan(40e6)
  expect(whole.memory.needed).toBeGreaterThan(whole.memory.open)
  const embedded = await print('show', 'image-mini')
  expect(embedded).toMatch(/^for +images$/m)
  expect(embedded).toMatch(/^architecture +Flux2KleinPipeline$/m)
  expect(embedded).toMatch(/^licence +apache-2\.0$/m)
  expect(embedded).toMatch(/^memory +[\d.]+ MB open, [\d.]+ MB while it makes a picture/m)
  expect(embedded).not.toContain('window')
  const decides = await print('show', 'decide-mini')
  expect(decides).toMatch(/^weights +int8 in blocks of \d+/m)
  // Of its 512 positions a question takes some.
  expect(decides).toMatch(/^window +320 tokens$/m)
  // A longer state is read in windows.
  expect(decides).toMatch(/^memory +.* while it reads a state of 320 tokens$/m)
  expect(await print('show', join(FIXTURE, '../opendecider-small'))).toMatch(/while it reads a state of 1,024 tokens$/m)
})

it('removes a downloaded model, and nothing else', async () => {
  await download()
  expect(await print('rm', 'owner/half')).toContain('removed owner/half, 2 B')
  expect(await readdir(join(home, 'hub'))).toEqual(['.locks'])
  const again = { code: 1, stderr: expect.stringContaining("the model 'owner/half' was not found") }
  expect(await run('rm', 'owner/half')).toMatchObject(again)
  for (const name of ['./folder', '../../etc', 'decide-mini', 'owner/..'])
    expect((await run('rm', name)).code).not.toBe(0)
  expect(await readdir(home)).toEqual(['hub'])
})

it('lists what was unpacked into the cache, and removes it by the path of its model', async () => {
  const path = join(home, 'tiny.gguf')
  await copyFile(join(FIXTURE, '../gguf/llama.gguf'), path)
  vi.stubEnv('TESSERA_CACHE', join(home, 'cache'))
  const weights = (await openModel(path).made!())!
  await unpackWeights(weights, path, new AbortController().signal)
  const { unpacked } = JSON.parse(await print('list', '--json'))
  expect(unpacked).toMatchObject([{ path: await realpath(path), bytes: expect.any(Number) }])
  expect(unpacked[0].bytes).toBeGreaterThan(weights.size)
  expect(await print()).toMatch(/unpacked into the cache, of:\n.*tiny\.gguf +[\d.]+ [kM]B/)
  expect(await print('rm', path)).toContain(`removed what was unpacked of ${path}`)
  expect(await readdir(join(home, 'cache/unpacked'))).toEqual([])
  expect(await readdir(home)).toContain('tiny.gguf')
  expect((await run('rm', path)).code).toBe(1)
})
