import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Backend } from '../src/backends/index.ts'
import { openDecider } from '../src/decide/index.ts'
import { ModelFormatError } from '../src/errors/index.ts'
import { openImagePipeline } from '../src/images/index.ts'
import type { ModelFiles } from '../src/models/files/model-files.ts'
import { openFolder } from '../src/models/files/model-folder.ts'
import { indexWeights } from '../src/models/weights/index-weights.ts'
import { type ImageBundle, materializeBundle } from './helpers/image-bundle.ts'
import { fixtureFolder } from './helpers/language-model-fixture.ts'
import { writeTinyBundle } from './helpers/tiny-bundle.ts'

/** Makes no sessions: what is opened is read, checked and made into graphs. */
const backend = {
  name: 'cpu',
  attention: 'fused',
  precision: 'float32',
  movesHalf: true,
  createSession: async () => ({ inputNames: [], outputNames: [], dispose: async () => {}, free: () => {} }),
} as unknown as Backend

/** The longest that any of these files may keep a process, on a busy machine. */
const SECONDS = 10
const RUNS = { numRuns: 60 }

const hostile = fc.oneof(
  fc.constantFrom(0, -1, 0.5, 1e-308, 1e308, 2 ** 10, 2 ** 16, 2 ** 24, 2 ** 31, 2 ** 53, 1, 3, 7),
  fc.constantFrom(
    undefined,
    null,
    true,
    false,
    '',
    'x',
    '__proto__',
    'x'.repeat(100_000),
    [],
    {},
    [[]],
    [null],
    [1e9, 1e9],
  ),
  fc.jsonValue(),
)
const changes = fc.array(fc.tuple(fc.nat(), hostile), { minLength: 1, maxLength: 2 })

/** The same file with some fields replaced, or left out where the value is undefined. */
function mutate(text: string, given: readonly (readonly [number, unknown])[]): object {
  const config = JSON.parse(text) as Record<string, unknown>
  const names = Object.keys(config)
  return { ...config, ...Object.fromEntries(given.map(([index, value]) => [names[index % names.length]!, value])) }
}

/** The folder with another content of one of its files. */
function changed(folder: string, file: string, config: object): ModelFiles {
  const replaced = (path: string, files: ModelFiles): ModelFiles => ({
    ...files,
    readText: async (name) => (`${path}${name}` === file ? JSON.stringify(config) : files.readText(name)),
    within: (name) => replaced(`${path}${name}/`, files.within(name)),
  })
  return replaced('', openFolder(folder))
}

/** Opens it, or is refused with an error of its own, soon and in few words. */
async function expectOpenedOrRefused(open: () => Promise<{ dispose?(): Promise<void> }>): Promise<void> {
  const start = performance.now()
  try {
    await (await open()).dispose?.()
  } catch (error) {
    expect(error).toBeInstanceOf(ModelFormatError)
    expect((error as Error).message.length).toBeLessThan(2000)
  }
  expect(performance.now() - start).toBeLessThan(SECONDS * 1000)
}

describe('a decision model whose configuration says anything', () => {
  let tiny: string
  beforeAll(async () => {
    tiny = await writeTinyBundle()
  })
  afterAll(() => rm(tiny, { recursive: true }))

  it.each([
    ['nli-bert', 'config.json'],
    ['bert-tree', 'config.json'],
    ['nli-modernbert', 'config.json'],
    ['laya', 'encoder/config.json'],
    ['laya', 'rl_agent_config.json'],
    ['opendecider-nano', 'config.json'],
    ['tiny', 'config.json'],
    ['tiny', 'tessera.json'],
  ])('is opened or refused: %s, %s', async (name, file) => {
    const folder = name === 'tiny' ? tiny : fixtureFolder(name)
    const text = await readFile(join(folder, file), 'utf8')
    const open = (given: [number, unknown][]) =>
      expectOpenedOrRefused(() => openDecider({ backend, files: changed(folder, file, mutate(text, given)) }))
    await fc.assert(fc.asyncProperty(changes, open), RUNS)
  })
})

describe.each(['z-image-turbo', 'klein-distilled'] as const)(
  '%s, any of whose configurations says anything,',
  (name) => {
    let bundle: ImageBundle
    beforeAll(async () => {
      bundle = await materializeBundle(name)
    })
    afterAll(() => bundle.remove())

    it.each([
      'model_index.json',
      'transformer/config.json',
      'vae/config.json',
      'text_encoder/config.json',
      'scheduler/scheduler_config.json',
    ])('is opened or refused: %s', async (file) => {
      const text = await readFile(join(bundle.folder, file), 'utf8')
      const open = (given: [number, unknown][]) =>
        expectOpenedOrRefused(() =>
          openImagePipeline({ backend, files: changed(bundle.folder, file, mutate(text, given)) }),
        )
      await fc.assert(fc.asyncProperty(changes, open), RUNS)
    })
  },
)

describe('a size that would take more memory or time than there is', () => {
  it.each([{ num_hidden_layers: 2 ** 32, layer_types: undefined }, { max_position_embeddings: 2 ** 40 }])(
    'is refused by name in an encoder: %j',
    async (fields) => {
      const folder = fixtureFolder('nli-modernbert')
      const config = { ...JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')), ...fields }
      const files = changed(folder, 'config.json', config)
      await expect(openDecider({ backend, files })).rejects.toThrow(Object.keys(fields)[0])
    },
  )

  it.each([{ layers_per_block: 2 ** 32 }, { norm_num_groups: 7 }])('or in an autoencoder: %j', async (fields) => {
    await using bundle = await materializeBundle('klein-distilled')
    const config = { ...JSON.parse(await readFile(join(bundle.folder, 'vae/config.json'), 'utf8')), ...fields }
    const files = changed(bundle.folder, 'vae/config.json', config)
    await expect(openImagePipeline({ backend, files })).rejects.toThrow(Object.keys(fields)[0])
  })
})

describe('an index of shards that says anything', () => {
  const folder = fixtureFolder('qwen3-gqa4-sharded')
  const INDEX = 'model.safetensors.index.json'
  const within = (index: unknown): ModelFiles => {
    const files = openFolder(folder)
    return {
      ...files,
      readText: async (name) => (name === INDEX ? JSON.stringify(index) : files.readText(name)),
    }
  }
  const open = (index: unknown) =>
    expectOpenedOrRefused(async () => {
      await indexWeights(within(index))
      return {}
    })
  const file = fc.oneof(
    fc.constantFrom('.', '..', '', 'a\u0000b', 'x'.repeat(5000), '__proto__', 'config.json', '/etc/passwd', 'C:\\x'),
    fc.string({ unit: 'binary' }),
    hostile,
  )

  it('is read or refused', async () => {
    const { weight_map: map } = JSON.parse(await readFile(join(folder, INDEX), 'utf8')) as { weight_map: object }
    const names = fc.oneof(fc.constantFrom(...Object.keys(map), '__proto__', 'constructor'), fc.string())
    const changedMap = fc.array(fc.tuple(names, file), { maxLength: 5 }).map((pairs) => ({
      weight_map: { ...map, ...Object.fromEntries(pairs) },
    }))
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          hostile,
          hostile.map((weight_map) => ({ weight_map })),
          changedMap,
        ),
        open,
      ),
      RUNS,
    )
  })
})
