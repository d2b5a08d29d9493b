import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { materializeBundle } from '../../test/helpers/image-bundle.ts'
import { fixtureFolder } from '../../test/helpers/language-model-fixture.ts'
import { readFloats, readIntegers } from '../../test/helpers/read-tensor.ts'
import { largestRelativeError } from '../../test/helpers/relative-error.ts'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { openFolder, openModel, parseLanguageModelConfig, readSafetensors, withLora } from '../models/index.ts'
import { indexWeights } from '../models/weights/index-weights.ts'
import { forwardFlux2 } from './test-support/forward-flux2.ts'
import { forwardZImage } from './test-support/forward-z-image.ts'
import { LanguageModelRun } from './test-support/language-model-run.ts'

const backend = await cpuBackend()

/** Interpreter with peft, transformers and diffusers; `PYTHON` chooses another than `python3`. */
const PYTHON = process.env['PYTHON'] ?? 'python3'
const isThere = spawnSync(PYTHON, ['-c', 'import peft, transformers, diffusers']).status === 0
/** Other adapters than those of the fixtures. */
const SEED = '29'

/** Files of a picture's adapters, how strong each is, and the result of diffusers. */
const SPELLINGS: readonly (readonly [Readonly<Record<string, number>>, string])[] = [
  [{ peft: 1 }, 'first'],
  [{ 'diffusers.safetensors': 1 }, 'first'],
  [{ 'kohya.safetensors': 1 }, 'first'],
  [{ 'original.safetensors': 1 }, 'first'],
  [{ 'diffusers.safetensors': 0.5, 'second.safetensors': 2 }, 'two'],
  [{ 'lokr.safetensors': 1 }, 'lokr'],
]

describe.skipIf(!isThere)('adapters that peft trains here', () => {
  const work = temporaryFolder()
  beforeAll(async () => {
    const options = { stdio: 'pipe', env: { ...process.env, OMP_NUM_THREADS: '1' } } as const
    execFileSync(PYTHON, [fixtureFolder('generate-lora-fixtures.py'), join(work, 'text'), SEED], options)
    execFileSync(PYTHON, [fixtureFolder('generate-image-lora-fixtures.py'), join(work, 'images'), SEED], options)
  }, 600_000)

  it.each(['plain', 'stabilised', 'lokr', 'lokr-whole', 'patterns', 'caret', 'two'])(
    'a language model with %s agrees with transformers',
    async (name) => {
      const choices = name === 'two' ? { plain: 0.5, stabilised: 2 } : { [name]: 1 }
      const loras = Object.entries(choices).map(([folder, scale]) => ({ path: join(work, 'text', folder), scale }))
      const base = fixtureFolder('qwen3-gqa2-untied')
      const files = withLora(openModel(base), loras)
      const config = parseLanguageModelConfig(JSON.parse((await files.readText('config.json'))!), base)
      const run = await LanguageModelRun.open(backend, { config, weights: await indexWeights(files) }, 64)
      const read = (file: string) => readSafetensors(join(work, 'text', file))
      const ids = readIntegers(await read('plain/expected.safetensors'), 'input_ids')
      const { logits } = await run.branch({ ids, past: 0 })
      const expected = await read(name === 'two' ? 'two.safetensors' : `${name}/expected.safetensors`)
      expect(largestRelativeError(logits, readFloats(expected, 'logits'))).toBeLessThan(1e-4)
      await run.dispose()
    },
  )

  it.each([
    { name: 'z-image-turbo', forward: forwardZImage },
    { name: 'klein-distilled', forward: forwardFlux2 },
  ] as const)('$name in every spelling agrees with diffusers', async ({ name, forward }) => {
    await using bundle = await materializeBundle(name)
    const results = await readSafetensors(join(work, 'images', name, 'expected.safetensors'))
    for (const [chosen, result] of SPELLINGS) {
      const loras = Object.entries(chosen).map(([file, scale]) => ({ path: join(work, 'images', name, file), scale }))
      const files = withLora(openFolder(join(bundle.folder, 'transformer')), loras)
      const got = await forward(backend, { expected: bundle.expected, run: 0 }, files, { linear: 'float' })
      expect(largestRelativeError(got, readFloats(results, result))).toBeLessThan(2e-5)
    }
  })
})
