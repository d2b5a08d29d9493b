import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { readFloats, readIntegers } from '../../../test/helpers/read-tensor.ts'
import { largestRelativeError } from '../../../test/helpers/relative-error.ts'
import { float32, int64, runGraph } from '../../../test/helpers/run-graph.ts'
import { ATTENTION_FORMS } from '../../../test/helpers/with-attention.ts'
import type { AttentionForm } from '../../backends/backend.ts'
import { localBlocks, textBlocks } from '../../decide/encoder/attention-blocks.ts'
import { parseModernBertConfig } from '../../models/configs/modernbert-config.ts'
import { readSafetensors } from '../../models/weights/read-safetensors.ts'
import { modernBertClassifierHead } from '../encoder-heads/classifier-head.ts'
import { hiddenHead } from '../test-support/hidden-head.ts'
import { buildModernBertEncoder } from './modernbert-encoder.ts'

const backend = await cpuBackend()

async function openFixture(name: string) {
  const folder = fixtureFolder(name)
  const config = parseModernBertConfig(JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')), name)
  const weights = await readSafetensors(folder)
  const expected = await readSafetensors(join(folder, 'expected.safetensors'))
  const lengths = expected.metadata['lengths']!.split(',').map(Number)
  const feeds = (length: number) => ({
    input_ids: int64(readIntegers(expected, `ids.${length}`), 1, length),
    position_ids: int64([...Array(length).keys()], 1, length),
    ...textBlocks([length]),
    ...localBlocks([length], config.local_attention),
  })
  const options = (attention: AttentionForm) =>
    ({
      linear: 'float',
      maxPositions: 128,
      prefix: weights.get('final_norm.weight') ? '' : 'model.',
      attention,
    }) as const
  return { config, weights, expected, lengths, feeds, options }
}

describe.each(ATTENTION_FORMS)('a ModernBERT encoder with %s attention agrees with transformers', (attention) => {
  it.each([
    'modernbert-plain',
    'modernbert-types',
    'modernbert-older',
    'modernbert-classifier',
    'modernbert-fp16',
    'modernbert-bf16',
  ])('on %s', async (name) => {
    const { config, weights, expected, lengths, feeds, options } = await openFixture(name)
    const session = await backend.createSession(buildModernBertEncoder(config, weights, hiddenHead, options(attention)))
    for (const length of lengths) {
      const { hidden } = await session.run(feeds(length))
      expect(largestRelativeError(hidden, readFloats(expected, `hidden.${length}`))).toBeLessThan(1e-4)
    }
    await session.dispose()
  })

  it.each([
    ['modernbert-classifier', 3, { rows: int64([0], 1) }],
    ['modernbert-mean', 2, { means: float32(new Float32Array(29).fill(1 / 29), 1, 29) }],
  ])('on the logits of %s', async (name, labels, read) => {
    const { config, weights, expected, feeds, options } = await openFixture(name)
    const head = modernBertClassifierHead(labels, config)
    const { logits } = await runGraph(backend, buildModernBertEncoder(config, weights, head, options(attention)), {
      ...feeds(29),
      ...read,
    })
    expect(largestRelativeError(logits, readFloats(expected, 'logits.29'))).toBeLessThan(1e-4)
  })
})

describe('a ModernBERT configuration', () => {
  it.each([
    ['rope_scaling', { rope_type: 'yarn', factor: 2 }],
    ['hidden_activation', 'silu'],
    ['layer_types', ['full_attention']],
    ['layer_types', ['full_attention', 'linear_attention']],
    [
      'rope_parameters',
      {
        full_attention: { type: 'linear', factor: 4, rope_theta: 9 },
        sliding_attention: { rope_theta: 3 },
      },
    ],
  ])('is refused with %s %j, by name', async (field, value) => {
    const json = JSON.parse(await readFile(join(fixtureFolder('modernbert-plain'), 'config.json'), 'utf8'))
    expect(() => parseModernBertConfig({ ...json, [field]: value }, 'config.json')).toThrow(field)
  })

  it('may have half of the window of local layers as sliding_window, which wins as in transformers', async () => {
    const json = JSON.parse(await readFile(join(fixtureFolder('modernbert-plain'), 'config.json'), 'utf8'))
    const { local_attention: window } = parseModernBertConfig({ ...json, local_attention: 16, sliding_window: 3 }, '')
    expect(window).toBe(6)
  })
})
