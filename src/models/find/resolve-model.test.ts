import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { EMBEDDED_MODELS } from './embedded-models.ts'
import { resolveModel } from './resolve-model.ts'

async function hubCache(revisions: readonly string[], main?: string): Promise<string> {
  const cache = temporaryFolder()
  const model = join(cache, 'models--Qwen--Qwen3-4B')
  for (const revision of revisions) {
    await mkdir(join(model, 'snapshots', revision), { recursive: true })
    await writeFile(join(model, 'snapshots', revision, 'config.json'), '{}')
  }
  if (main) {
    await mkdir(join(model, 'refs'), { recursive: true })
    await writeFile(join(model, 'refs', 'main'), `${main}\n`)
  }
  return cache
}

describe('resolveModel', () => {
  it('finds every embedded model that a name of the specification stands for', async () => {
    for (const model of Object.values(EMBEDDED_MODELS)) {
      expect(await resolveModel(model)).toMatchObject({
        id: model,
        embedded: true,
        folder: expect.stringContaining(join('models', model)),
      })
    }
  })

  it('takes a path as it is', async () => {
    const cache = await hubCache(['r1'])
    const folder = join(cache, 'models--Qwen--Qwen3-4B', 'snapshots', 'r1')
    expect(await resolveModel(folder)).toEqual({ id: folder, folder, embedded: false })
    await expect(resolveModel(join(cache, 'nothing'))).rejects.toMatchObject({ code: 'model_not_found' })
    await writeFile(join(cache, 'small.gguf'), '')
    const said = { command: `the same with ${join(cache, 'small.gguf')}, a GGUF file in that folder` }
    await expect(resolveModel(`${cache}/`)).rejects.toMatchObject(said)
  })

  it('finds the main revision in the cache of the hub, wherever its variables put it', async () => {
    const cache = await hubCache(['r1', 'r2'], 'r2')
    const folder = join(cache, 'models--Qwen--Qwen3-4B', 'snapshots', 'r2')
    expect((await resolveModel('Qwen/Qwen3-4B', { HF_HUB_CACHE: cache })).folder).toBe(folder)
    const home = temporaryFolder()
    await mkdir(join(home, 'huggingface'))
    await expect(resolveModel('Qwen/Qwen3-4B', { XDG_CACHE_HOME: home })).rejects.toMatchObject({
      tried: ['the embedded models', join(home, 'huggingface', 'hub')],
      command: 'npx tessera-onnx pull Qwen/Qwen3-4B',
    })
  })

  it('does not guess between revisions or escape the cache', async () => {
    const cache = await hubCache(['r1', 'r2'])
    await expect(resolveModel('Qwen/Qwen3-4B', { HF_HUB_CACHE: cache })).rejects.toMatchObject({
      code: 'model_not_found',
    })
    await expect(resolveModel('../../etc/passwd')).rejects.toMatchObject({ code: 'model_not_found' })
    await expect(resolveModel('__proto__')).rejects.toMatchObject({ code: 'model_not_found' })
  })

  it.each([
    ['models/decide-mini', 'the same with ./models/decide-mini, for the folder of that name'],
    ['test/fixtures/gguf/llama.gguf', 'the same with ./test/fixtures/gguf/llama.gguf, for the file of that name'],
    ['models/none', 'npx tessera-onnx pull models/none'],
    [
      './none.gguf',
      'the same with the path of a model that is there, or npx tessera-onnx pull <owner>/<name>, and give that name',
    ],
    ['https://huggingface.co/Qwen/Qwen3-4B', 'npx tessera-onnx pull Qwen/Qwen3-4B, and give that name'],
    ['https://huggingface.co', 'npx tessera-onnx pull <owner>/<name>, and give that name'],
    ['gpt 4', 'npx tessera-onnx pull <owner>/<name>, and give that name'],
  ])('says what to do about %s', async (model, command) => {
    const env = { HF_HUB_CACHE: await hubCache([]) }
    await expect(resolveModel(model, env)).rejects.toMatchObject({ code: 'model_not_found', model, command })
  })

  it.each(['./no-such-folder', './none.gguf'])(
    'says that nothing is at %s, instead of which files it lacks',
    async (path) => {
      const there = resolve(path)
      await expect(resolveModel(path)).rejects.toThrow(`(tried ${there}, which is not there)`)
    },
  )

  it('says that a file is no folder, instead of which files it lacks', async () => {
    const path = join(await hubCache([]), 'model.onnx')
    await writeFile(path, 'x')
    await expect(resolveModel(path)).rejects.toThrow(
      `(tried ${path}, which is a file, where a folder or a GGUF file is expected)`,
    )
  })

  it('says why a folder cannot be read, instead of that nothing is there', async () => {
    const path = join(await hubCache([]), 'loop')
    await symlink(path, path)
    await expect(resolveModel(path)).rejects.toThrow(`(tried ${path}, which cannot be read (ELOOP))`)
  })

  it('finds a GGUF file by its path, and never by a name that a request may have', async () => {
    const path = fileURLToPath(new URL('../../../test/fixtures/gguf/llama.gguf', import.meta.url))
    expect(await resolveModel(path)).toMatchObject({ id: path, folder: path, embedded: false })
    await expect(resolveModel('./gone.gguf')).rejects.toMatchObject({ code: 'model_not_found' })
    for (const name of ['gguf/llama.gguf', 'llama.gguf']) {
      await expect(resolveModel(name)).rejects.toMatchObject({ code: 'model_not_found' })
    }
  })

  it.each<[string, readonly string[], string]>([
    ['one GGUF file and a configuration', ['config.json', 'a.gguf', 'mmproj-a.gguf', 'pytorch_model.bin'], 'a.gguf'],
    ['one in a folder', ['config.json', 'Q4/a.gguf'], join('Q4', 'a.gguf')],
    ['one without a configuration', ['README.md', 'a.gguf'], 'a.gguf'],
    ['safetensors, too', ['config.json', 'model.safetensors', 'a.gguf'], ''],
    ['safetensors in parts, too', ['config.json', 'model-00001-of-00002.safetensors', 'a.gguf'], ''],
    ['a GGUF file as a part of a pipeline', ['model_index.json', 'config.json', 'transformer/a.gguf'], ''],
    ['one that its manifest names', ['tessera.json', 'a.gguf'], ''],
    ['neither', ['config.json', 'pytorch_model.bin'], ''],
  ])('of a repository with %s finds the model', async (_, files, found) => {
    const cache = await hubCache(['r1'])
    const snapshot = join(cache, 'models--a--b', 'snapshots', 'r1')
    for (const file of files) {
      await mkdir(dirname(join(snapshot, file)), { recursive: true })
      await writeFile(join(snapshot, file), '{}')
    }
    expect(await resolveModel('a/b', { HF_HUB_CACHE: cache })).toEqual({
      id: 'a/b',
      folder: join(snapshot, found),
      embedded: false,
    })
  })

  it('of a repository with a configuration and several GGUF files says how one is named', async () => {
    const cache = await hubCache(['r1'])
    const snapshot = join(cache, 'models--Qwen--Qwen3-4B', 'snapshots', 'r1')
    for (const file of ['a.gguf', 'b.gguf']) await writeFile(join(snapshot, file), '')
    await expect(resolveModel('Qwen/Qwen3-4B', { HF_HUB_CACHE: cache })).rejects.toMatchObject({
      code: 'model_not_found',
      command: 'the same with Qwen/Qwen3-4B:a.gguf, or another of them',
    })
  })
})
