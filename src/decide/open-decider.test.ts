import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { writeTinyBundle } from '../../test/helpers/tiny-bundle.ts'
import { openFolder } from '../models/files/model-folder.ts'
import { openDecider } from './index.ts'

const backend = await cpuBackend()

const open = async (config: Record<string, unknown>) =>
  openDecider({ backend, files: openFolder(await writeTinyBundle({ config })) })

it.each([
  [{ architectures: ['Gemma3ForConditionalGeneration'], model_type: 'gemma3' }, 'Gemma3ForConditionalGeneration'],
  [{ architectures: ['SDARForCausalLM'], model_type: 'sdar' }, 'SDARForCausalLM'],
  // The class of a known model, with remote code behind it.
  [{ model_type: 'sdar' }, 'sdar'],
  [{ architectures: ['Qwen3ForSequenceClassification'] }, 'Qwen3ForSequenceClassification'],
  [{ architectures: ['Qwen3Model'] }, 'Qwen3Model'],
  [{ architectures: ['Qwen3MoeForCausalLM'], model_type: 'qwen3_moe' }, 'Qwen3MoeForCausalLM'],
  [{ architectures: ['Qwen3_5ForConditionalGeneration'], model_type: 'qwen3_5' }, 'Qwen3_5ForConditionalGeneration'],
  [{ architectures: [], model_type: undefined }, 'neither architectures nor model_type'],
])('a checkpoint of another architecture is refused by its name: %j', async (config, name) => {
  await expect(open(config)).rejects.toMatchObject({
    code: 'model_format',
    expected: expect.stringContaining('Qwen3ForCausalLM'),
    got: expect.stringContaining(name),
  })
})

it.each(['gptq', 'awq', 'bitsandbytes'])('weights that %s quantised are named as such', async (method) => {
  const config = { quantization_config: { quant_method: method, bits: 4, group_size: 128 } }
  await expect(open(config)).rejects.toMatchObject({ code: 'model_format', got: expect.stringContaining(method) })
})

it('layers that the configuration leaves out are refused, not ignored', async () => {
  const folder = await writeTinyBundle()
  const file = join(folder, 'config.json')
  const config = JSON.parse(await readFile(file, 'utf8')) as object
  await writeFile(file, JSON.stringify({ ...config, num_hidden_layers: 2 }))
  await expect(openDecider({ backend, files: openFolder(folder) })).rejects.toMatchObject({
    code: 'model_format',
    expected: expect.stringContaining('num_hidden_layers'),
    got: expect.stringContaining('model.layers.2.'),
  })
})

it('a head size that no tensor has is refused before tables of it are made', async () => {
  const started = performance.now()
  const opened = open({ head_dim: 1024, max_position_embeddings: 2 ** 24 })
  await expect(opened).rejects.toMatchObject({ code: 'model_format', expected: expect.stringContaining('q_proj') })
  expect(performance.now() - started).toBeLessThan(2000)
})
