import {
  copyFile,
  cp,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { materializeBundle } from '../../../test/helpers/image-bundle.ts'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { readFloats } from '../../../test/helpers/read-tensor.ts'
import { asFloats, toSingleFile, writeTensors } from '../../../test/helpers/single-files.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import type { ModelFiles } from '../files/model-files.ts'
import { openModel } from '../open-model.ts'
import { readSafetensors } from '../weights/read-safetensors.ts'
import { unpackWeights } from './unpack-weights.ts'

let work: string
beforeEach(() => void (work = temporaryFolder()))

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

it.each([
  ['is gone, its folder left', (path: string) => rm(path)],
  ['is cut off', (path: string) => truncate(path, 1000)],
])('unpacks a file anew that %s', async (_, damage) => {
  const files = openModel(join(fixtureFolder('gguf'), 'llama.gguf'))
  const folder = await unpack(files)
  const path = join(folder, 'model.safetensors')
  const whole = await readFile(path)
  await damage(path)
  // Each as a process of its own would.
  expect(await Promise.all(Array.from({ length: 5 }, () => unpack(files)))).toEqual(Array(5).fill(folder))
  expect(whole.equals(await readFile(path))).toBe(true)
  expect(await readdir(dirname(folder))).toHaveLength(2)
})

describe('a file that is replaced while its model is opened', () => {
  const refused = {
    code: 'model_format',
    message: expect.stringMatching(
      /as it was when it was first read, got another or none: it has changed since; open the model again/,
    ),
  }

  it('is refused where its header was read before, and unpacked right by whoever opens it later', async () => {
    await using bundle = await materializeBundle('z-image-turbo')
    const folder = join(bundle.folder, 'vae')
    const weights = await readSafetensors(folder)
    const bias = readFloats(weights, 'decoder.conv_in.bias')
    const stored = asFloats(toSingleFile('z-image-turbo', 'vae', weights))
    await rm(join(folder, 'diffusion_pytorch_model.safetensors'))
    const file = join(folder, 'ae.safetensors')
    await writeTensors(file, stored)
    const files = openModel(bundle.folder).within('vae')
    await files.made!()
    await writeTensors(`${file}.new`, stored.toReversed())
    await rename(`${file}.new`, file)
    await expect(unpack(files)).rejects.toMatchObject({ ...refused, file: await realpath(file) })
    const later = await readSafetensors(await unpack(openModel(bundle.folder).within('vae')))
    expect(readFloats(later, 'decoder.conv_in.bias')).toEqual(bias)
  })

  it('is refused where it is gone before it is unpacked', async () => {
    const path = join(work, 'tiny.gguf')
    await copyFile(join(fixtureFolder('gguf'), 'llama.gguf'), path)
    const files = openModel(path)
    await files.made!()
    const file = await realpath(path)
    await rm(path)
    await expect(unpack(files)).rejects.toMatchObject({ ...refused, file })
  })

  it.each(['replaced', 'removed'])('is refused where it is %s while it is unpacked', async (change) => {
    const path = join(work, 'tiny.gguf')
    await copyFile(join(fixtureFolder('gguf'), 'llama.gguf'), path)
    const files = openModel(path)
    const made = (await files.made!())!
    const read = async (start: number, length: number) => {
      const bytes = await made.read(start, length)
      await (change === 'removed' ? rm(path, { force: true }) : utimes(path, 1, 1))
      return bytes
    }
    await expect(unpack({ ...files, made: async () => ({ ...made, read }) })).rejects.toMatchObject(refused)
    expect(await unpacked()).toEqual([])
  })

  it.each(['adapter_config.json', 'adapter_model.safetensors', '../base/model.safetensors'])(
    'is refused where it is %s of an adapter',
    async (name) => {
      const folder = join(work, 'adapter')
      await cp(fixtureFolder('lora/plain'), folder, { recursive: true })
      await cp(fixtureFolder('qwen3-gqa2-untied'), join(work, 'base'), { recursive: true })
      const config = JSON.parse(await readFile(join(folder, 'adapter_config.json'), 'utf8')) as object
      const changed = { ...config, base_model_name_or_path: '../base' }
      await writeFile(join(folder, 'adapter_config.json'), JSON.stringify(changed))
      const files = openModel(folder)
      await files.made!()
      await utimes(join(folder, name), 1, 1)
      await expect(unpack(files)).rejects.toMatchObject({ ...refused, file: await realpath(join(folder, name)) })
    },
  )
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
