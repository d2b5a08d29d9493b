import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { fixtureFolder } from '../../test/helpers/language-model-fixture.ts'
import { readFloats, readIntegers } from '../../test/helpers/read-tensor.ts'
import { largestRelativeError } from '../../test/helpers/relative-error.ts'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { openModel, parseLanguageModelConfig, readSafetensors, unpackWeights } from '../models/index.ts'
import { LanguageModelRun } from './test-support/language-model-run.ts'

const backend = await cpuBackend()
const work = temporaryFolder()

it.each(['plain', 'stabilised', 'lokr', 'lokr-whole'])('a model with the adapter %s agrees with peft', async (name) => {
  const folder = fixtureFolder(`lora/${name}`)
  const files = openModel(folder)
  const config = parseLanguageModelConfig(JSON.parse((await files.readText('config.json'))!), folder)
  const made = (await files.made!())!
  const unpacked = await unpackWeights(made, folder, new AbortController().signal, { TESSERA_CACHE: work })
  const expected = await readSafetensors(join(folder, 'expected.safetensors'))
  const run = await LanguageModelRun.open(backend, { config, weights: await readSafetensors(unpacked) }, 64)
  const { logits } = await run.branch({ ids: readIntegers(expected, 'input_ids'), past: 0 })
  expect(largestRelativeError(logits, readFloats(expected, 'logits'))).toBeLessThan(1e-4)
})
