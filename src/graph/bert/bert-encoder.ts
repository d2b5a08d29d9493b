import type { BertConfig } from '../../models/bert-config.ts'
import type { WeightIndex } from '../../models/weight-index.ts'
import type { BuiltGraph } from '../../onnx/built-graph.ts'
import { GraphBuilder, type Value } from '../../onnx/graph-builder.ts'
import { tanh } from '../../onnx/ops/elementwise.ts'
import { head, reshape } from '../../onnx/ops/shape.ts'
import { affine } from '../layers/linear.ts'
import { narrow, widen } from '../layers/precision.ts'
import { bertKeyValues, bertLayer, bertNorm, sumBertEmbeddings, type BertModel } from './bert-layer.ts'
import { bertModel, type BertOptions } from './bert-model.ts'

export interface BertEncoderOptions extends BertOptions {
  /** Labels of the classifier on the pooled first token. Without one, the hidden states are the output. */
  readonly labels?: number
}

/**
 * A BERT encoder on one text, or a pair of them, without padding.
 *
 * Inputs: `input_ids`, `position_ids`, `token_type_ids` int64 [1, S]. Output: `hidden` float32 [S, hidden_size], the last layer's;
 * or, with `labels`, `logits` float32 [1, labels] as `BertForSequenceClassification` computes them.
 *
 * @throws ModelFormatError when a tensor is missing or not of the shape the configuration asks for
 */
export function buildBertEncoder(config: BertConfig, weights: WeightIndex, options: BertEncoderOptions): BuiltGraph {
  const g = new GraphBuilder('bert_encoder')
  const model = bertModel(g, config, weights, options)
  const { hidden_size: hidden, num_hidden_layers: layers } = config
  let x = bertNorm(model, sumBertEmbeddings(model, declareBertTokens(g)), 'embeddings.LayerNorm')
  const { labels } = options
  // A classifier reads the first row only, which no other needs after the last attention.
  const first = labels === undefined ? undefined : g.integers([0])
  for (let i = 0; i < layers; i++) {
    x = bertLayer(model, x, i, bertKeyValues(model, x, i), { rows: i === layers - 1 ? first : undefined })
  }
  if (labels === undefined) g.output('hidden', x, 'float32', ['sequence', hidden])
  else g.output('logits', classify(model, x, labels), 'float32', [1, labels])
  return g.build(weights.folder)
}

/** The inputs of every graph on BERT tokens, without their batch axis of one. */
export function declareBertTokens(g: GraphBuilder) {
  const declare = (name: string) => reshape(g, g.input(name, 'int64', [1, 'sequence']), [-1])
  return { ids: declare('input_ids'), positions: declare('position_ids'), segments: declare('token_type_ids') }
}

/** The classifier behind the pooler on the first row of x. */
function classify(model: BertModel, x: Value, labels: number): Value {
  const { g, config, prefix } = model
  const { hidden_size: hidden } = config
  const row = narrow(model, head(g, x, 1, 0))
  const pooled = tanh(g, widen(model, affine(model, row, `${prefix}pooler.dense`, hidden, hidden)))
  return widen(model, affine(model, narrow(model, pooled), 'classifier', labels, hidden))
}
