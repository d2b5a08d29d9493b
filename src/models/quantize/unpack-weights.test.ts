import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { materializeBundle } from '../../../test/helpers/image-bundle.ts'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { asFloats, toSingleFile, writeTensors } from '../../../test/helpers/single-files.ts'
import type { ModelFiles } from '../files/model-files.ts'
import { openModel } from '../open-model.ts'
import { readSafetensors } from '../weights/read-safetensors.ts'
import { unpackWeights } from './unpack-weights.ts'

let work: string
beforeEach(async () => void (work = await mkdtemp(join(tmpdir(), 'tessera-unpack-'))))
afterEach(() => rm(work, { recursive: true }))

async function unpack(files: ModelFiles, cache = join(work, 'cache')): Promise<string> {
  const made = (await files.made!())!
  const env = { TESSERA_CACHE: cache }
  return unpackWeights(made, made.path ?? files.location, new AbortController().signal, env)
}
const unpacked = async () =>
  (await readdir(join(work, 'cache'), { recursive: true })).filter((name) => name.endsWith('tensors'))

it('keeps what other parts and other pipelines have unpacked of the same file', async () => {
  const bundle = await materializeBundle('z-image-turbo')
  const tensors = await Promise.all(
    (['transformer', 'vae'] as const).map(async (part) => {
      const stored = toSingleFile('z-image-turbo', part, await readSafetensors(join(bundle.folder, part)))
      const prefix = part === 'vae' ? 'vae.' : 'model.diffusion_model.'
      return asFloats(stored).map((tensor) => ({ ...tensor, name: `${prefix}${tensor.name}` }))
    }),
  )
  await writeTensors(join(work, 'all.safetensors'), tensors.flat())
  const parts = { transformer: '../all.safetensors', vae: '../all.safetensors' }
  for (const name of ['one', 'two']) {
    await cp(bundle.folder, join(work, `base-${name}`), { recursive: true })
    await mkdir(join(work, name))
    await writeFile(join(work, name, 'tessera.json'), JSON.stringify({ base: `../base-${name}`, parts }))
  }
  await bundle.remove()
  const open = (name: string, part: string) => unpack(openModel(join(work, name)).within(part))
  const folders = [await open('one', 'vae'), await open('two', 'vae'), await open('one', 'transformer')]
  expect(new Set(folders).size).toBe(3)
  expect(await unpacked()).toHaveLength(3)
  expect(await open('one', 'vae')).toBe(folders[0])
})

it('unpacks a file anew that was replaced by one of the same size and time of modification', async () => {
  const path = join(work, 'tiny.gguf')
  await copyFile(join(fixtureFolder('gguf'), 'llama.gguf'), path)
  await utimes(path, 1, 1)
  const before = await unpack(openModel(path))
  const bytes = await readFile(path)
  bytes[bytes.length - 40]! ^= 1
  await rm(path)
  await writeFile(path, bytes)
  await utimes(path, 1, 1)
  expect(await unpack(openModel(path))).not.toBe(before)
})

it('names a cache that cannot be made, and what to set', async () => {
  const file = join(work, 'file')
  await writeFile(file, '')
  const files = openModel(join(fixtureFolder('gguf'), 'llama.gguf'))
  await expect(unpack(files, file)).rejects.toMatchObject({
    code: 'model_format',
    message: expect.stringMatching(/\(TESSERA_CACHE\), got one that cannot be written \((ENOTDIR|ENOENT)\)/),
  })
})

it('removes what was left by a process that was killed, and nothing that may still be written', async () => {
  const path = join(work, 'tiny.gguf')
  await copyFile(join(fixtureFolder('gguf'), 'llama.gguf'), path)
  const owner = dirname(await unpack(openModel(path)))
  await mkdir(join(owner, 'a.partial-1'))
  await mkdir(join(owner, 'a.partial-2'))
  await utimes(join(owner, 'a.partial-1'), 1, 1)
  await utimes(path, 1, 1)
  await unpack(openModel(path))
  expect((await readdir(owner)).filter((name) => name.includes('.partial-'))).toEqual(['a.partial-2'])
})
