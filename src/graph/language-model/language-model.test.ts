import { beforeAll, describe, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import {
  fixtureFolder,
  openCheckpoint,
  LANGUAGE_MODEL_FIXTURES,
  readExpected,
  type ExpectedLogits,
  type LanguageModelCheckpoint,
} from '../../../test/helpers/language-model-fixture.ts'
import { largestRelativeError } from '../../../test/helpers/relative-error.ts'
import { ATTENTION_FORMS } from '../../../test/helpers/with-attention.ts'
import { LanguageModelRun } from '../test-support/language-model-run.ts'

const backend = await cpuBackend()

const TOLERANCE = 1e-4

const CASES = LANGUAGE_MODEL_FIXTURES.flatMap((name) => ATTENTION_FORMS.map((attention) => [name, attention] as const))

describe.each(CASES)('a language model for %s with %s attention agrees with transformers', (name, attention) => {
  let checkpoint: LanguageModelCheckpoint
  let expected: ExpectedLogits
  let run: LanguageModelRun

  beforeAll(async () => {
    checkpoint = await openCheckpoint(fixtureFolder(name))
    expected = await readExpected(fixtureFolder(name))
    run = await LanguageModelRun.open(backend, checkpoint, 64, { attention })
  })

  it('in one pass without a past', async () => {
    const { logits } = await run.branch({ ids: expected.ids, past: 0 })
    expect(logits?.dims).toEqual([expected.ids.length, checkpoint.config.vocab_size])
    expect(largestRelativeError(logits, expected.logits)).toBeLessThan(TOLERANCE)
  })

  it.each([[[48 - 8]], [[13, 27]], [[1, 1, 32]]])('after prefill in chunks of %j', async (chunks) => {
    const { ids, logits } = expected
    let past = 0
    for (const size of chunks) {
      await run.prefill(ids.slice(past, past + size), past)
      past += size
    }
    const branch = await run.branch({ ids: ids.slice(past), past })
    const vocabulary = checkpoint.config.vocab_size
    expect(largestRelativeError(branch['logits'], logits.subarray(past * vocabulary))).toBeLessThan(TOLERANCE)
  })

  it('one token at a time', async () => {
    const { ids, logits } = expected
    const vocabulary = checkpoint.config.vocab_size
    for (let i = 0; i < 6; i++) {
      const step = await run.branch({ ids: [ids[i]!], past: i })
      await run.prefill([ids[i]!], i)
      const wanted = logits.subarray(i * vocabulary, (i + 1) * vocabulary)
      expect(largestRelativeError(step['logits'], wanted)).toBeLessThan(TOLERANCE)
    }
  })

  it('on branches packed into one pass, each as if it were alone after the prefix', async () => {
    const { ids, prefix, branches } = expected
    await run.prefill(ids.slice(0, prefix), 0)
    const owner = branches.flatMap((branch, b) => branch.ids.map(() => b))
    const packed = await run.branch({
      ids: branches.flatMap((branch) => branch.ids),
      past: prefix,
      positions: branches.flatMap((branch) => branch.ids.map((_, i) => prefix + i)),
      sees: (row, column) => column < prefix || owner[column - prefix] === owner[row],
    })
    const wanted = Float32Array.from(branches.flatMap((branch) => Array.from(branch.logits)))
    expect(largestRelativeError(packed['logits'], wanted)).toBeLessThan(TOLERANCE)
  })

  it('on chosen rows and symbols only', async () => {
    const { ids, logits } = expected
    const rows = [47, 3, 20]
    const symbols = [95, 0, 17, 17]
    const read = await run.branch({ ids, past: 0, rows, symbols })
    const wanted = rows.flatMap((row) => symbols.map((symbol) => logits[row * checkpoint.config.vocab_size + symbol]!))
    expect(read['logits']?.dims).toEqual([3, 4])
    expect(largestRelativeError(read['logits'], Float32Array.from(wanted))).toBeLessThan(TOLERANCE)
  })
})
