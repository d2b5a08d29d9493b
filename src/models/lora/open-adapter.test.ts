import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { readFloats } from '../../../test/helpers/read-tensor.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { readChatTemplate } from '../chat-template.ts'
import { resolveModel } from '../find/resolve-model.ts'
import { openModel } from '../open-model.ts'
import { unpackWeights } from '../quantize/unpack-weights.ts'
import { readSafetensors } from '../weights/read-safetensors.ts'
import { SafetensorsWriter } from '../weights/safetensors-writer.ts'

let work: string
let folder: string
beforeEach(async () => {
  work = temporaryFolder()
  folder = join(work, 'adapter')
  await cp(fixtureFolder('lora/plain'), folder, { recursive: true })
  await change({ base_model_name_or_path: fixtureFolder('qwen3-gqa2-untied') })
})
afterEach(async () => {
  vi.unstubAllEnvs()
})

async function change(fields: object): Promise<void> {
  const file = join(folder, 'adapter_config.json')
  await writeFile(file, JSON.stringify({ ...(JSON.parse(await readFile(file, 'utf8')) as object), ...fields }))
}

const made = async () => (await openModel(folder).made!())!
const unpack = async () => {
  return unpackWeights(await made(), folder, new AbortController().signal, { TESSERA_CACHE: join(work, 'cache') })
}

it('an adapter is found by its path, and shows the configuration of its base', async () => {
  expect(await resolveModel(folder)).toMatchObject({ folder })
  const config = JSON.parse((await openModel(folder).readText('config.json'))!)
  expect(config).toMatchObject({ architectures: ['Qwen3ForCausalLM'] })
})

it('a scale of 0 equals no adapter, to the bit, and another changes what it is for alone', async () => {
  const base = await readSafetensors(fixtureFolder('qwen3-gqa2-untied'))
  const changed = async () => {
    const merged = await readSafetensors(await unpack())
    expect(new Set(merged.names)).toEqual(new Set(base.names))
    const differs = (name: string) =>
      Buffer.compare(Buffer.from(readFloats(merged, name).buffer), Buffer.from(readFloats(base, name).buffer)) !== 0
    return base.names.filter(differs)
  }
  const all = await changed()
  expect(all).toHaveLength(9)
  expect(all.every((name) => /(q_proj|v_proj|down_proj)\.weight$/.test(name))).toBe(true)
  await change({ lora_alpha: 0 })
  expect(await changed()).toEqual([])
})

it('what was merged is merged anew when the base changes', async () => {
  const copy = join(work, 'base')
  await cp(fixtureFolder('qwen3-gqa2-untied'), copy, { recursive: true })
  await change({ base_model_name_or_path: '../base' })
  const first = await unpack()
  expect(await unpack()).toBe(first)
  const file = join(copy, 'model.safetensors')
  await writeFile(file, await readFile(file))
  expect(await unpack()).not.toBe(first)
})

describe('the base of a revision', () => {
  const COMMIT = 'a'.repeat(40)
  beforeEach(async () => {
    vi.stubEnv('HF_HUB_CACHE', join(work, 'hub'))
    const repository = join(work, 'hub', 'models--owner--base')
    const write = async (path: string, text: string) => {
      await mkdir(dirname(join(repository, path)), { recursive: true })
      await writeFile(join(repository, path), text)
    }
    for (const [name, commit] of [
      ['main', 'b'.repeat(40)],
      ['v1', COMMIT],
    ] as const) {
      await write(`refs/${name}`, commit)
      await write(`snapshots/${commit}/config.json`, name)
    }
    await change({ base_model_name_or_path: 'owner/base' })
  })
  const read = () => openModel(folder).readText('config.json')

  it('is the one that the adapter names, and main without one', async () => {
    expect(await read()).toBe('main')
    for (const revision of ['v1', COMMIT]) {
      await change({ revision })
      expect(await read()).toBe('v1')
    }
    await change({ revision: null })
    expect(await read()).toBe('main')
  })

  it('that was not downloaded is named, with the command that fetches it', async () => {
    await change({ revision: 'v2' })
    await expect(read()).rejects.toMatchObject({
      code: 'model_not_found',
      command: 'npx tessera-onnx pull owner/base --revision v2',
    })
    await change({ revision: '../../refs/v1' })
    await expect(read()).rejects.toThrow('revision')
  })
})

it('an adapter with a chat template of its own is not asked in that of its base', async () => {
  const base = join(work, 'base')
  await cp(fixtureFolder('qwen3-gqa2-untied'), base, { recursive: true })
  await writeFile(join(base, 'chat_template.jinja'), 'base: {{ messages[0].content }}')
  await change({ base_model_name_or_path: '../base' })
  const render = async () =>
    (await readChatTemplate(openModel(folder)))?.render([{ role: 'user', content: 'x' }], false)
  await writeFile(join(folder, 'tokenizer_config.json'), '{}')
  expect(await render()).toBe('base: x')
  const chat_template = 'own: {{ messages[0].content }}'
  await writeFile(join(folder, 'tokenizer_config.json'), JSON.stringify({ chat_template }))
  expect(await render()).toBe('own: x')
})

describe('refused by name', () => {
  it('another base', async () => {
    await change({ base_model_name_or_path: fixtureFolder('qwen3-mha-tied') })
    await expect(made()).rejects.toMatchObject({
      code: 'model_format',
      got: expect.stringMatching(/others: .*it is for another base|others: /),
    })
  })

  it('changes of what the base has not, counted', async () => {
    await change({ base_model_name_or_path: fixtureFolder('llama-llama3') })
    await expect(made()).rejects.toMatchObject({
      expected: expect.stringContaining('changes of matrices of'),
      got: expect.stringMatching(
        /^3 others: .*layers\.2\.mlp\.down_proj, .*layers\.2\.self_attn\.q_proj, .*layers\.2\.self_attn\.v_proj$/,
      ),
    })
  })

  it('tensors of another kind, counted', async () => {
    const names = ['a.hada_w1_a', 'base_model.model.b.lora_embedding_A']
    await rm(join(folder, 'adapter_model.safetensors'))
    const plans = names.map((name) => ({ name, dtype: 'F32', shape: [1, 1] }) as const)
    const writer = await SafetensorsWriter.create(join(folder, 'adapter_model.safetensors'), plans, {})
    for (const name of names) await writer.append(name, new Float32Array(1))
    await writer.close()
    await expect(made()).rejects.toMatchObject({ got: `2 others: ${names.join(', ')}` })
  })

  it.each([
    [{ peft_type: 'IA3' }, 'peft_type'],
    [{ use_dora: true }, 'use_dora'],
    [{ bias: 'all' }, 'bias'],
    [{ modules_to_save: ['lm_head'] }, 'modules_to_save'],
    [{ alpha_pattern: { '(a+)+b': 3 } }, 'alpha_pattern'],
    [{ fan_in_fan_out: true }, 'fan_in_fan_out'],
    [{ init_lora_weights: 'pissa_niter_4' }, 'path_initial_model_for_weight_conversion'],
    [{ init_lora_weights: 'olora' }, 'init_lora_weights'],
  ])('a configuration of %j', async (fields, field) => {
    await change(fields)
    await expect(made()).rejects.toThrow(field)
  })

  it('a base by path of an adapter that was downloaded, and one that was not downloaded', async () => {
    vi.stubEnv('HF_HUB_CACHE', work)
    await expect(made()).rejects.toThrow('a hub id as base_model_name_or_path')
    await change({ base_model_name_or_path: 'owner/never-downloaded' })
    await expect(made()).rejects.toMatchObject({ code: 'model_not_found' })
  })
})
