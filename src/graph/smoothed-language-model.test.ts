import { describe, expect, it } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import {
  fixtureFolder,
  LANGUAGE_MODEL_FIXTURES,
  type LanguageModelCheckpoint,
  openCheckpoint,
  readExpected,
} from '../../test/helpers/language-model-fixture.ts'
import { drawFloats } from '../../test/helpers/pseudo-random.ts'
import { largestRelativeError } from '../../test/helpers/relative-error.ts'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { openFolder } from '../models/files/model-folder.ts'
import { listNormGroups } from '../models/language-models/norm-groups.ts'
import { tensorPrefix } from '../models/language-models/tensor-layout.ts'
import { smoothWeights } from '../models/quantize/smooth-weights.ts'
import { unpackWeights } from '../models/quantize/unpack-weights.ts'
import { readSafetensors } from '../models/weights/read-safetensors.ts'
import { LanguageModelRun } from './test-support/language-model-run.ts'

const backend = await cpuBackend()
const work = temporaryFolder()

/** Factors from 1/4 to 4. */
function drawFactors(name: string, count: number): Float32Array {
  return drawFloats(name, count, 0, 1).map((value) => 4 ** value)
}

async function smooth(folder: string, { config, weights }: LanguageModelCheckpoint) {
  const prefix = tensorPrefix(weights)
  const groups = config.layers.flatMap((_, layer) => listNormGroups(config, prefix, layer))
  const norms = groups.map((group) => ({ ...group, factors: drawFactors(group.norm, config.hidden_size) }))
  const files = smoothWeights(openFolder(folder), { norms, normsFromOne: config.normsFromOne })
  const out = await unpackWeights((await files.made!())!, folder, new AbortController().signal, { TESSERA_CACHE: work })
  return { norms, smoothed: { config, weights: await readSafetensors(out) } }
}

describe.each(LANGUAGE_MODEL_FIXTURES)('%s with smoothed channels', (name) => {
  it('has other norms and matrices, and the same logits', async () => {
    const folder = fixtureFolder(name)
    const checkpoint = await openCheckpoint(folder)
    const { norms, smoothed } = await smooth(folder, checkpoint)
    expect(norms).toHaveLength(2 * checkpoint.config.num_hidden_layers)
    for (const { norm, matrices } of norms) {
      for (const tensor of [norm, ...matrices]) expect(smoothed.weights.get(tensor)).toMatchObject({ dtype: 'F32' })
    }
    const { ids } = await readExpected(folder)
    const [wanted, got] = [await readLogits(checkpoint, ids), await readLogits(smoothed, ids)]
    expect(largestRelativeError(got, wanted.data as Float32Array)).toBeLessThan(1e-5)
  })
})

async function readLogits(checkpoint: LanguageModelCheckpoint, ids: readonly number[]) {
  const run = await LanguageModelRun.open(backend, checkpoint, 64)
  const { logits } = await run.branch({ ids, past: 0 })
  await run.dispose()
  return logits!
}
