import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { addTensor } from '../../test/helpers/add-tensor.ts'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { fixtureFolder } from '../../test/helpers/language-model-fixture.ts'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { openFolder } from '../models/files/model-folder.ts'
import { openDecider } from './index.ts'

const backend = await cpuBackend()
let work: string
beforeEach(() => void (work = temporaryFolder()))

/** Opens the fixture with one tensor more. */
async function openWith(name: string, tensor: string, file = 'model.safetensors') {
  const folder = join(work, name)
  await cp(fixtureFolder(name), folder, { recursive: true })
  await addTensor(join(folder, file), tensor)
  return openDecider({ backend, files: openFolder(folder) })
}

it.each([
  ['nli-bert', 'bert.encoder.layer.2.output.dense.weight'],
  ['nli-bert', 'bert.encoder.layer.0.attention.self.distance_embedding.weight'],
  ['nli-modernbert', 'model.layers.0.attn.Wqkv.bias'],
  ['bert-tree', 'decide.option.gate'],
  ['laya', 'head.layers.7.linear1.bias'],
  ['opendecider-nano', 'layers.40.mlp.Wi.weight'],
  ['opendecider-nano', '5.weight', 'head.safetensors'],
])('%s is refused with a tensor that nothing is computed from: %s', async (name, tensor, file?: string) => {
  await expect(openWith(name, tensor, file)).rejects.toMatchObject({
    code: 'model_format',
    message: expect.stringContaining(tensor),
  })
})

it.each([
  ['nli-bert', 'bert.embeddings.position_ids'],
  ['bert-tree', 'embeddings.position_ids'],
  ['bert-tree', 'pooler.dense.bias'],
  ['laya', 'act_head.4.bias'],
])('%s is opened with a tensor that published checkpoints carry: %s', async (name, tensor) => {
  const decider = await openWith(name, tensor)
  await decider.dispose()
})
