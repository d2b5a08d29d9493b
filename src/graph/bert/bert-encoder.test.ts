import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { bertFeeds, openBertCheckpoint, type BertCheckpoint } from '../../../test/helpers/bert-fixture.ts'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { readFloats, readIntegers } from '../../../test/helpers/read-tensor.ts'
import { largestRelativeError } from '../../../test/helpers/relative-error.ts'
import { int64, runGraph } from '../../../test/helpers/run-graph.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { ATTENTION_FORMS } from '../../../test/helpers/with-attention.ts'
import { parseBertConfig } from '../../models/configs/bert-config.ts'
import { quantizeWeights } from '../../models/quantize/quantize-weights.ts'
import { readSafetensors } from '../../models/weights/read-safetensors.ts'
import { bertClassifierHead } from '../encoder-heads/classifier-head.ts'
import type { LinearMode } from '../layers/weights.ts'
import { writeDequantized } from '../test-support/dequantized-checkpoint.ts'
import { hiddenHead } from '../test-support/hidden-head.ts'
import { buildBertEncoder } from './bert-encoder.ts'

const backend = await cpuBackend()

async function readCase(name: string) {
  const folder = fixtureFolder(name)
  const expected = await readSafetensors(join(folder, 'expected.safetensors'))
  const feeds = bertFeeds(readIntegers(expected, 'input_ids'), readIntegers(expected, 'token_type_ids'))
  return { ...(await openBertCheckpoint(folder)), expected, feeds }
}

describe.each(ATTENTION_FORMS)('a BERT encoder with %s attention agrees with transformers', (attention) => {
  it.each(['bert-small', 'bert-wide-epsilon', 'bert-classifier', 'bert-bf16'])(
    'on the hidden states of %s',
    async (name) => {
      const { config, weights, expected, feeds } = await readCase(name)
      const { hidden } = await runGraph(
        backend,
        buildBertEncoder(config, weights, hiddenHead, { linear: 'float', attention }),
        feeds,
      )
      expect(largestRelativeError(hidden, readFloats(expected, 'hidden'))).toBeLessThan(1e-4)
    },
  )

  it('on the logits of a classifier', async () => {
    const { config, weights, expected, feeds } = await readCase('bert-classifier')
    const graph = buildBertEncoder(config, weights, bertClassifierHead(3), { linear: 'float', attention })
    const { logits } = await runGraph(backend, graph, { ...feeds, rows: int64([0], 1) })
    expect(logits?.dims).toEqual([1, 3])
    expect(largestRelativeError(logits, readFloats(expected, 'logits'))).toBeLessThan(1e-4)
  })
})

describe.each(['row', 32] as const)('a BERT encoder in 8 bits, blocks of %s', (blockSize) => {
  const work = temporaryFolder()
  let quantized: BertCheckpoint
  let exact: Float32Array

  beforeAll(async () => {
    const { feeds, ...source } = await readCase('bert-wide-epsilon')
    const folder = fixtureFolder('bert-wide-epsilon')
    await quantizeWeights({ folder, out: join(work, 'int8'), bits: 8, blockSize })
    quantized = await openBertCheckpoint(join(work, 'int8'))
    await writeDequantized(source, quantized, join(work, 'float'))
    const weights = await readSafetensors(join(work, 'float'))
    const { hidden } = await runGraph(
      backend,
      buildBertEncoder(source.config, weights, hiddenHead, { linear: 'float' }),
      feeds,
    )
    exact = hidden!.data as Float32Array
  })

  it.each<{ linear: LinearMode; tolerance: number }>([
    { linear: 'float', tolerance: 1e-4 },
    // Activations in int8; a wrong layout gives about 1.
    { linear: { accuracyLevel: 4 }, tolerance: 0.15 },
  ])('gives its dequantised hidden states with linear $linear', async ({ linear, tolerance }) => {
    const { feeds } = await readCase('bert-wide-epsilon')
    const { hidden } = await runGraph(
      backend,
      buildBertEncoder(quantized.config, quantized.weights, hiddenHead, { linear }),
      feeds,
    )
    expect(largestRelativeError(hidden, exact)).toBeLessThan(tolerance)
  })
})

describe('a BERT configuration', () => {
  const config = {
    model_type: 'bert',
    hidden_size: 32,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    intermediate_size: 8,
    max_position_embeddings: 8,
    type_vocab_size: 2,
    vocab_size: 8,
    layer_norm_eps: 1e-12,
    hidden_act: 'gelu',
  }

  it.each([
    ['position_embedding_type', 'relative_key'],
    ['hidden_act', 'relu'],
    ['is_decoder', true],
    ['model_type', 'roberta'],
    ['num_attention_heads', 5],
  ])('is refused with %s %s, by name', (field, value) => {
    expect(() => parseBertConfig({ ...config, [field]: value }, 'config.json')).toThrow(
      field === 'num_attention_heads' ? 'hidden_size' : field,
    )
  })
})
