import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { materializeBundle } from '../../../test/helpers/image-bundle.ts'
import { openModel } from '../open-model.ts'
import { indexWeights } from '../weights/index-weights.ts'

it.each(['transformer', 'text_encoder'])('%s in shards of a variant is read as in shards without one', async (part) => {
  const bundle = await materializeBundle('z-image-base')
  try {
    const folder = join(bundle.folder, part)
    const before = await indexWeights(openModel(bundle.folder).within(part))
    for (const name of await readdir(folder)) {
      const variant = name
        .replace(/-(\d)-of-(\d)\./, '.fp16-0000$1-of-0000$2.')
        .replace('index.json', 'index.fp16.json')
      if (variant === name) continue
      const text = name.endsWith('.json') ? await readFile(join(folder, name), 'utf8') : undefined
      await rename(join(folder, name), join(folder, variant))
      const named = text?.replaceAll(/-(\d)-of-(\d)\./g, '.fp16-0000$1-of-0000$2.')
      if (named !== undefined) await writeFile(join(folder, variant), named)
    }
    const after = await indexWeights(openModel(bundle.folder).within(part))
    expect(after.names.toSorted()).toEqual(before.names.toSorted())
    const index = part === 'transformer' ? 'diffusion_pytorch_model' : 'model'
    await writeFile(join(folder, `${index}.safetensors.index.bf16.json`), '{}')
    await expect(indexWeights(openModel(bundle.folder).within(part))).rejects.toThrow('index.bf16.json')
  } finally {
    await bundle.remove()
  }
})
