import { copyFile, mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ImageBundle, materializeBundle } from '../../../test/helpers/image-bundle.ts'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { readFloats } from '../../../test/helpers/read-tensor.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { openFolder } from '../files/model-folder.ts'
import { indexWeights } from '../weights/index-weights.ts'
import { readSafetensors } from '../weights/read-safetensors.ts'
import { SafetensorsWriter } from '../weights/safetensors-writer.ts'
import type { Changes } from './change.ts'
import { withLora } from './with-lora.ts'

let bundle: ImageBundle
const work = temporaryFolder()
let count = 0
beforeAll(async () => {
  bundle = await materializeBundle('klein-distilled')
})
afterAll(() => bundle.remove())

async function changesOf(path: string, folder = bundle.folder): Promise<Changes> {
  const files = withLora(openFolder(folder), [{ path, scale: 1 }]).within('transformer')
  return (await indexWeights(files)).changes!
}

interface Spelled {
  readonly name: string
  readonly shape: readonly number[]
  readonly data: Float32Array
}

async function write(tensors: readonly Spelled[], metadata: Record<string, string> = {}): Promise<string> {
  const path = join(work, `${count++}.safetensors`)
  const plans = tensors.map(({ name, shape }) => ({ name, shape, dtype: 'F32' as const }))
  const writer = await SafetensorsWriter.create(path, plans, metadata)
  for (const { name, data } of tensors) await writer.append(name, data)
  await writer.close()
  return path
}

/** The adapter that diffusers wrote under other names, with its alpha as tensors. */
async function respell(spell: (module: string, part: 'A' | 'B' | 'alpha') => string): Promise<string> {
  const stored = await readSafetensors(fixtureFolder('lora-images/klein-distilled/diffusers.safetensors'))
  const tensors = stored.names.flatMap((name): Spelled[] => {
    const [, module, part] = /^transformer\.(.+)\.lora_([AB])\.weight$/.exec(name)!
    const { shape } = stored.get(name)!
    const alpha = { name: spell(module!, 'alpha'), shape: [], data: Float32Array.of(3) }
    const own = { name: spell(module!, part as 'A' | 'B'), shape, data: readFloats(stored, name) }
    return part === 'A' ? [own, alpha] : [own]
  })
  return write(tensors)
}

const dotted = (prefix: string, down: string, up: string) => (module: string, part: 'A' | 'B' | 'alpha') =>
  `${prefix}${module}${{ A: down, B: up, alpha: '.alpha' }[part]}`
const underscored = (prefix: string) => (module: string, part: 'A' | 'B' | 'alpha') =>
  `${prefix}${module.replaceAll('.', '_')}${{ A: '.lora_down.weight', B: '.lora_up.weight', alpha: '.alpha' }[part]}`

describe('one adapter gives the same changes', () => {
  it.each([
    ['with the prefix unet', dotted('unet.', '.lora_A.weight', '.lora_B.weight')],
    ['with the prefix of ComfyUI', dotted('diffusion_model.', '.lora_A.weight', '.lora_B.weight')],
    ['without a prefix', dotted('', '.lora_down.weight', '.lora_up.weight')],
    ['with the name of an adapter', dotted('transformer.', '.lora_A.default.weight', '.lora_B.default.weight')],
    ['with dots in the names of the parts', dotted('transformer.', '.lora.down.weight', '.lora.up.weight')],
    ['in names of old versions of diffusers', dotted('unet.', '_lora.down.weight', '_lora.up.weight')],
    ['in names of kohya', underscored('lora_unet_')],
    ['in names of OneTrainer', underscored('lora_transformer_')],
    ['in names of lycoris', underscored('lycoris_')],
  ])('%s', async (_, spell) => {
    const expected = await changesOf(fixtureFolder('lora-images/klein-distilled/diffusers.safetensors'))
    const changes = await changesOf(await respell(spell))
    expect(expected.size).toBe(12)
    expect([...changes.keys()].sort()).toEqual([...expected.keys()].sort())
    for (const [name, [change]] of changes) {
      const { left, right, scale } = expected.get(name)![0]!
      expect(change).toMatchObject({ left, right, scale })
    }
  })
})

const matrix = (name: string, rows: number, columns: number, value = 1): Spelled => {
  return { name, shape: [rows, columns], data: new Float32Array(rows * columns).fill(value) }
}
const [DOWN, UP] = ['x_embedder.lora_A.weight', 'x_embedder.lora_B.weight']
const pair = [matrix(DOWN, 2, 16), matrix(UP, 64, 2)]

describe('refused, counted and named', () => {
  it.each<[string, Spelled[], object]>([
    [
      'DoRA',
      [...pair, matrix('x_embedder.lora_magnitude_vector', 1, 64)],
      { got: '1 other: x_embedder.lora_magnitude_vector' },
    ],
    ['DoRA of kohya', [...pair, matrix('x_embedder.dora_scale', 64, 1)], { expected: expect.stringContaining('DoRA') }],
    [
      'other kinds',
      [...pair, matrix('a.hada_w1_a', 1, 1), matrix('a.lokr_t2', 1, 1)],
      { got: '2 others: a.hada_w1_a, a.lokr_t2' },
    ],
    ['a half of a pair', [matrix(DOWN, 2, 16)], { expected: 'lora_B for x_embedder' }],
    ['two ranks', [matrix(DOWN, 2, 16), matrix(UP, 64, 3)], { got: 'lora_A [2, 16], lora_B [64, 3]' }],
    [
      'two spellings',
      [...pair, matrix('x_embedder.lora_down.weight', 2, 16)],
      { expected: 'one lora_A of x_embedder' },
    ],
    [
      'two names of one matrix',
      [...pair, matrix('img_in.lora_A.weight', 2, 16), matrix('img_in.lora_B.weight', 64, 2)],
      { expected: 'one change of x_embedder.weight' },
    ],
    [
      'numbers that are none',
      [matrix(DOWN, 2, 16, Number.NaN), matrix(UP, 64, 2)],
      { expected: `finite values in ${DOWN}` },
    ],
    [
      'a rank of 0',
      [matrix(DOWN, 0, 16), matrix(UP, 64, 0)],
      { got: `2 others: ${DOWN} [0,16] of F32, ${UP} [64,0] of F32` },
    ],
    [
      'an alpha that is no number',
      [...pair, matrix('x_embedder.alpha', 1, 1, Number.NaN)],
      { expected: 'a finite alpha' },
    ],
    [
      'another base by its size',
      [matrix(DOWN, 2, 24), matrix(UP, 96, 2)],
      { got: '1 other: x_embedder.weight [96,24], not [64,16]; it is for another base' },
    ],
    [
      'two factors that make more than the matrix has',
      [
        matrix('x_embedder.lokr_w1_a', 2048, 1),
        matrix('x_embedder.lokr_w1_b', 1, 2048),
        matrix('x_embedder.lokr_w2', 1, 1),
      ],
      { expected: 'lokr_w1 of x_embedder with at most 2048 numbers', got: '[2048, 2048]; it is for another base' },
    ],
    ['nothing at all', [], { got: 'none' }],
  ])('%s', async (_, tensors, fields) => {
    await expect(changesOf(await write(tensors))).rejects.toMatchObject({ code: 'model_format', ...fields })
  })

  it.each([
    ['F64', [2, 1], 8],
    ['F8_E4M3', [2, 1], 1],
    ['F32', [2, 1, 1, 1], 4],
  ] as const)('a matrix of %s %o by what it is, not by its name', async (dtype, shape, bytes) => {
    const path = join(work, `${count++}.safetensors`)
    const plan = { name: 'x_embedder.lora_A.weight', shape, dtype }
    const writer = await SafetensorsWriter.create(path, [plan], {})
    await writer.append(plan.name, new Uint8Array(2 * bytes))
    await writer.close()
    await expect(changesOf(path)).rejects.toMatchObject({
      expected: 'matrices of F32, F16 or BF16, and one number as alpha',
      got: `1 other: x_embedder.lora_A.weight [${shape}] of ${dtype}`,
    })
  })

  it.each(['ink.pt', 'adapter_model.bin', 'ink.gguf'])('a file of another format by its name: %s', async (name) => {
    const folder = await mkdtemp(join(work, 'other-'))
    await writeFile(join(folder, name), '')
    const said = { got: `${name}, which is not read; peft and diffusers save safetensors` }
    await expect(changesOf(folder)).rejects.toMatchObject(said)
    await expect(changesOf(join(folder, name))).rejects.toMatchObject(said)
  })

  it('an adapter of another kind of peft by that kind', async () => {
    const folder = await mkdtemp(join(work, 'kind-'))
    await copyFile(await write(pair), join(folder, 'adapter_model.safetensors'))
    await writeFile(join(folder, 'adapter_config.json'), JSON.stringify({ peft_type: 'IA3' }))
    await expect(changesOf(folder)).rejects.toMatchObject({ got: 'peft_type: "IA3" is not computed' })
  })

  it('patterns of ranks that are no plain names, where no shape says the rank', async () => {
    const config = { peft_type: 'LOKR', alpha: 6, r: 8, rank_pattern: { '.*embedder': 2 } }
    const folder = await mkdtemp(join(work, 'pattern-'))
    const put = async (tensors: readonly Spelled[]) => {
      await copyFile(await write(tensors), join(folder, 'adapter_model.safetensors'))
      await writeFile(join(folder, 'adapter_config.json'), JSON.stringify(config))
    }
    const whole = matrix('x_embedder.lokr_w1', 8, 4)
    await put([whole, matrix('x_embedder.lokr_w2_a', 8, 2), matrix('x_embedder.lokr_w2_b', 2, 4)])
    expect((await changesOf(folder)).get('x_embedder.weight')).toMatchObject([{ scale: 3 }])
    await put([whole, matrix('x_embedder.lokr_w2', 8, 4)])
    await expect(changesOf(folder)).rejects.toThrow(
      'plain names of modules in rank_pattern, as the tensors of x_embedder',
    )
  })

  it('modules that the model lacks', async () => {
    const other = changesOf(fixtureFolder('lora-images/z-image-turbo/diffusers.safetensors'))
    await expect(other).rejects.toMatchObject({
      got: expect.stringMatching(/^11 others: transformer\.context_refiner/),
    })
  })

  it.each([
    ['use_dora', { 'transformer.use_dora': true }],
    ['lora_alpha', { 'transformer.r': 2 }],
  ])('a configuration in the header with %s', async (field, config) => {
    const metadata = {
      lora_adapter_metadata: JSON.stringify({
        'transformer.lora_alpha': 2,
        ...config,
        ...(field === 'lora_alpha' && { 'transformer.lora_alpha': null }),
      }),
    }
    await expect(changesOf(await write(pair, metadata))).rejects.toThrow(field)
  })

  it.each(['/nowhere/x.safetensors', 'owner/never-downloaded', 'plain', '../test'])(
    'a path that is no adapter: %s',
    async (path) => {
      await expect(changesOf(path)).rejects.toThrow(
        /lora\.0\.path: must be the path of an adapter|a safetensors file, or a folder/,
      )
    },
  )
})
