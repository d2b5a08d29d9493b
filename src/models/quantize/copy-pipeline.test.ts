import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { openModel } from '../open-model.ts'
import { copyBesides } from './copy-pipeline.ts'

let work: string
let source: string
let out: string

beforeEach(async () => {
  work = temporaryFolder()
  source = join(work, 'source')
  out = join(work, 'out')
  await mkdir(out)
  await fill('model_index.json', 'LICENSE.md', 'tokenizer/tokenizer.json', 'tokenizer/vocab.txt')
})

async function fill(...paths: string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(source, path)), { recursive: true })
    await writeFile(join(source, path), '{}')
  }
}

async function list(): Promise<string[]> {
  const entries = await readdir(out, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return files
    .map(({ parentPath, name }) =>
      join(parentPath, name)
        .slice(out.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort()
}

it('leaves out hidden files and weights of every format that are no part', async () => {
  await fill('.git/lfs/objects/ab/abcd', '.cache/huggingface/x.json', '.gitattributes', 'tokenizer/.cache/x.json')
  await fill('whole.safetensors', 'onnx/model.onnx', 'onnx/model.onnx_data', 'unet/model.bin', 'unet/a.pt')
  await fill('unet/a.pth', 'unet/a.ckpt', 'unet/a.GGUF', 'unet/model.safetensors')
  await copyBesides(openModel(source), out, undefined)
  expect(await list()).toEqual(['LICENSE.md', 'model_index.json', 'tokenizer/tokenizer.json', 'tokenizer/vocab.txt'])
})

it('keeps the weights of the decoder for previews', async () => {
  await cp(fixtureFolder('qwen3-mha-tied'), join(source, 'preview_decoder'), { recursive: true })
  await copyBesides(openModel(source), out, undefined)
  expect(await list()).toContain('preview_decoder/model.safetensors')
})

it('stops within a folder', async () => {
  await rm(join(source, 'LICENSE.md'))
  await rm(join(source, 'model_index.json'))
  const reason = new Error('enough')
  await expect(copyBesides(openModel(source), out, AbortSignal.abort(reason))).rejects.toMatchObject({
    code: 'aborted',
    cause: reason,
  })
  expect(await list()).toEqual([])
})
