import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { materializeBundle } from '../../../test/helpers/image-bundle.ts'
import { openModel } from '../open-model.ts'
import { indexWeights } from '../weights/index-weights.ts'
import { asVariant } from './test-support/as-variant.ts'

it.each(['transformer', 'text_encoder'])('%s in shards of a variant is read as in shards without one', async (part) => {
  await using bundle = await materializeBundle('z-image-base')
  const folder = join(bundle.folder, part)
  const before = await indexWeights(openModel(bundle.folder).within(part))
  await asVariant(folder)
  const after = await indexWeights(openModel(bundle.folder).within(part))
  expect(after.names.toSorted()).toEqual(before.names.toSorted())
  const index = part === 'transformer' ? 'diffusion_pytorch_model' : 'model'
  await writeFile(join(folder, `${index}.safetensors.index.bf16.json`), '{}')
  await expect(indexWeights(openModel(bundle.folder).within(part))).rejects.toThrow('index.bf16.json')
})
