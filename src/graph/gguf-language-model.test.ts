import { expect, it } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { readFloats, readIntegers } from '../../test/helpers/read-tensor.ts'
import { largestRelativeError } from '../../test/helpers/relative-error.ts'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { ggufFixture } from '../models/gguf/test-support/fixture.ts'
import { openModel, parseLanguageModelConfig, readSafetensors, unpackWeights } from '../models/index.ts'
import { checkTensors } from '../models/language-models/tensor-layout.ts'
import type { LinearMode } from './layers/weights.ts'
import { LanguageModelRun } from './test-support/language-model-run.ts'

const backend = await cpuBackend()
const work = temporaryFolder()

const MODELS = [
  ['llama', 'llama.gguf'],
  ['qwen2', 'qwen2.gguf'],
  ['qwen3', 'qwen3-00001-of-00003.gguf'],
  ['gemma3', 'gemma3.gguf'],
  ['llama2', 'llama2.gguf'],
  ['smollm3', 'smollm3.gguf'],
] as const

/** Activations of the last are rounded to 8 bits. */
const MODES: readonly (readonly [LinearMode, number])[] = [
  ['float', 1e-4],
  [{ accuracyLevel: 0 }, 1e-4],
  [{ accuracyLevel: 4 }, process.arch === 'arm64' ? 0.12 : 0.1],
]
const CASES = MODELS.flatMap(([name, file]) => MODES.map(([linear, bound]) => [name, linear, bound, file] as const))

it.each(CASES)(
  '%s from a GGUF file with products %j is within %d of transformers',
  async (name, linear, bound, file) => {
    const files = openModel(ggufFixture(file))
    const config = parseLanguageModelConfig(JSON.parse((await files.readText('config.json'))!), file)
    const weights = await readSafetensors(
      await unpackWeights((await files.made!())!, files.location, new AbortController().signal, {
        TESSERA_CACHE: work,
      }),
    )
    checkTensors(config, weights)
    const expected = await readSafetensors(ggufFixture(`${name}.safetensors`))
    const run = await LanguageModelRun.open(backend, { config, weights }, 64, { linear })
    const { logits } = await run.branch({ ids: readIntegers(expected, 'input_ids'), past: 0 })
    expect(largestRelativeError(logits, readFloats(expected, 'logits'))).toBeLessThan(bound)
  },
)
