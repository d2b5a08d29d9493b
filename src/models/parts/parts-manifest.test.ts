import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readTensorBytes } from '../../../test/helpers/read-tensor.ts'
import { asFloats, toDiffusers, writeTensors, type Written } from '../../../test/helpers/single-files.ts'
import { writeGguf } from '../../../test/helpers/write-gguf.ts'
import { openModel } from '../open-model.ts'
import { openTensors } from '../weights/open-tensors.ts'
import { readSafetensors } from '../weights/read-safetensors.ts'
import { takePart } from './test-support/tiny-parts.ts'

describe('refused by name', () => {
  it('a tensor that is there under two names', async () => {
    const taken = await takePart('z-image-turbo', 'transformer')
    const { stored } = taken
    const twice = new Map([...stored, ['all_x_embedder.2-1.bias', stored.get('x_embedder.bias')!]])
    await writeTensors(join(taken.folder, 'transformer/one.safetensors'), asFloats(twice))
    await expect(taken.show('transformer')).rejects.toMatchObject({
      code: 'model_format',
      expected: 'one tensor that is all_x_embedder.2-1.bias',
      got: 'x_embedder.bias and all_x_embedder.2-1.bias',
    })
  })

  it('a transformer of the other model', async () => {
    const { stored: other } = await takePart('klein-distilled', 'transformer')
    const taken = await takePart('z-image-turbo', 'transformer')
    await writeTensors(join(taken.folder, 'transformer/one.safetensors'), asFloats(other))
    await expect(taken.show('transformer')).rejects.toMatchObject({
      code: 'model_format',
      expected: 'the tensors of a ZImageTransformer2DModel',
      got: 'those of a Flux2Transformer2DModel',
    })
  })

  it('a GGUF file of another architecture', async () => {
    const taken = await takePart('z-image-turbo', 'transformer')
    const { stored } = taken
    const tensors = Array.from(stored, ([key, tensor]) => [key, { ...tensor, type: 'F32' }] as const)
    const path = join(taken.folder, 'transformer/model.gguf')
    await writeGguf(path, { 'general.architecture': 'sdxl' }, new Map(tensors))
    await expect(taken.show('transformer')).rejects.toMatchObject({ code: 'model_format', got: 'sdxl' })
  })

  it('files of which any could be meant', async () => {
    const taken = await takePart('z-image-turbo', 'transformer')
    const { stored } = taken
    for (const name of ['a', 'b']) {
      await writeTensors(join(taken.folder, `transformer/${name}.safetensors`), asFloats(stored))
    }
    await expect(taken.show('transformer')).rejects.toMatchObject({
      code: 'model_format',
      got: 'a.safetensors, b.safetensors',
    })
  })
})

describe('tessera.json', () => {
  const index = (folder: string) => openModel(folder).readText('model_index.json')
  async function writeManifest(folder: string, manifest: object): Promise<void> {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'tessera.json'), JSON.stringify(manifest))
  }

  it('names files of parts, and a base for all others', async () => {
    const taken = await takePart('z-image-turbo', 'transformer')
    const { stored } = taken
    await writeTensors(join(taken.work, 'z.safetensors'), asFloats(stored))
    await writeManifest(join(taken.work, 'mine'), { base: taken.folder, parts: { transformer: '../z.safetensors' } })
    const files = openModel(join(taken.work, 'mine'))
    expect(await files.readText('model_index.json')).toBe(
      await readFile(join(taken.folder, 'model_index.json'), 'utf8'),
    )
    for (const name of ['scheduler/scheduler_config.json', 'tokenizer/tokenizer.json', 'vae/config.json']) {
      const [folder, file] = name.split('/') as [string, string]
      expect(await files.within(folder).readText(file)).toBe(await readFile(join(taken.folder, name), 'utf8'))
    }
    expect((await openTensors(files.within('vae'))).weights.folder).toBe(join(taken.folder, 'vae'))
    const { weights } = await openTensors(files.within('transformer'))
    expect(new Set(weights.names)).toEqual(new Set(toDiffusers('z-image-turbo', 'transformer', stored).keys()))
  })

  it('leaves a chat template of its own tokenizer to it, whatever the base has', async () => {
    const taken = await takePart('z-image-turbo', 'transformer')
    await writeFile(join(taken.folder, 'tokenizer', 'chat_template.jinja'), 'base')
    const folder = join(taken.work, 'mine')
    await writeManifest(folder, { base: taken.folder })
    const read = () => openModel(folder).within('tokenizer').readText('chat_template.jinja')
    expect(await read()).toBe('base')
    await mkdir(join(folder, 'tokenizer'))
    await writeFile(join(folder, 'tokenizer', 'tokenizer_config.json'), '{ "chat_template": "own" }')
    expect(await read()).toBeUndefined()
  })

  it('that leaves parts out is refused with all that are lacking', async () => {
    const taken = await takePart('z-image-turbo', 'transformer')
    const { stored } = taken
    await writeTensors(join(taken.work, 'z.safetensors'), asFloats(stored))
    await writeManifest(join(taken.work, 'mine'), { parts: { transformer: '../z.safetensors' } })
    await expect(index(join(taken.work, 'mine'))).rejects.toMatchObject({
      code: 'model_format',
      got: 'none of model_index.json, text_encoder, vae, scheduler, tokenizer',
    })
  })

  it('names a part that is not there, or nothing that is known', async () => {
    const taken = await takePart('z-image-turbo', 'transformer')
    await writeManifest(join(taken.work, 'a'), { base: taken.folder, parts: { transformer: './none.gguf' } })
    await expect(index(join(taken.work, 'a'))).rejects.toMatchObject({ code: 'model_format', got: 'no such file' })
    await writeManifest(join(taken.work, 'b'), { base: taken.folder, parts: { unet: './none.gguf' } })
    await expect(index(join(taken.work, 'b'))).rejects.toMatchObject({
      code: 'model_format',
      got: expect.stringContaining('unet'),
    })
    await writeManifest(join(taken.work, 'c'), { base: 'nobody/nothing' })
    await expect(index(join(taken.work, 'c'))).rejects.toMatchObject({ code: 'model_not_found' })
  })

  it('of a model that was downloaded leads nowhere else', async () => {
    const taken = await takePart('z-image-turbo', 'transformer')
    const hub = join(taken.work, 'hub/models--a--b/snapshots/abc')
    process.env['HF_HUB_CACHE'] = join(taken.work, 'hub')
    try {
      await writeManifest(hub, { parts: { vae: '../../../../secret.safetensors' } })
      await expect(index(hub)).rejects.toMatchObject({ expected: 'a path within its folder as parts.vae' })
      await writeManifest(hub, { base: taken.folder })
      await expect(index(hub)).rejects.toMatchObject({ expected: expect.stringContaining('a hub id as base') })
    } finally {
      delete process.env['HF_HUB_CACHE']
    }
  })
})

it('a text encoder in one file of any name is read where it lies', async () => {
  const taken = await takePart('klein-distilled', 'transformer')
  const folder = join(taken.folder, 'text_encoder')
  const all = await readSafetensors(folder)
  const tensors = all.names.map((name): Written => {
    const { dtype, shape } = all.get(name)!
    return { name, dtype, shape, data: new Uint8Array(readTensorBytes(all, name)) }
  })
  for (const name of await readdir(folder)) if (name !== 'config.json') await rm(join(folder, name))
  await writeTensors(join(folder, 'qwen_3_4b.safetensors'), tensors)
  const files = openModel(taken.folder).within('text_encoder')
  const { weights } = await openTensors(files)
  expect(await files.made!()).toBeUndefined()
  expect(weights.get(weights.names[0]!)!.file).toBe('qwen_3_4b.safetensors')
  expect(new Set(weights.names)).toEqual(new Set(all.names))
})
