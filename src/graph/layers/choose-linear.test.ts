import { expect, it } from 'vitest'
import type { TensorEntry, WeightIndex } from '../../models/weights/weight-index.ts'
import { chooseLinear } from './choose-linear.ts'

const MIB = 2 ** 20

function weightsOf(sizes: Record<string, number>): WeightIndex {
  const entry = (length: number): TensorEntry => ({ dtype: 'U8', shape: [length], file: 'a', offset: 0, length })
  return { folder: '/a', names: Object.keys(sizes), metadata: {}, sources: [], get: (name) => entry(sizes[name]!) }
}

it.each([
  ['small products', { 'encoder.layer.0.output.dense.weight': 16 * MIB }, 'float'],
  ['large products', { 'encoder.layer.0.output.dense.weight': 16 * MIB + 1 }, { accuracyLevel: 4 }],
  [
    'small products beside a large table that rows are picked of',
    { 'encoder.layer.0.output.dense.weight': 10 * MIB, 'bert.embeddings.word_embeddings.weight': 12 * MIB },
    'float',
  ],
  [
    'a table that is the head of a language model too',
    { 'model.layers.0.mlp.up_proj.weight': 10 * MIB, 'model.embed_tokens.weight': 12 * MIB },
    { accuracyLevel: 4 },
  ],
])('%s', (_, sizes, expected) => {
  expect(chooseLinear(weightsOf(sizes))).toEqual(expected)
})
