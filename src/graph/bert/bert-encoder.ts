import type { BertConfig } from '../../models/configs/bert-config.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import type { BuiltGraph } from '../../onnx/built-graph.ts'
import type { GraphBuilder } from '../../onnx/graph-builder.ts'
import { reshape } from '../../onnx/ops/shape.ts'
import type { EncoderHead } from '../encoder-heads/encoder-head.ts'
import { declareTexts } from '../layers/block-attention.ts'
import type { ComputeOptions } from '../layers/start-graph.ts'
import { bertKeyValues, bertLayer, bertNorm, startBert, sumBertEmbeddings } from './bert-layer.ts'

/**
 * A BERT encoder on texts, or pairs of them, that stand one behind the other without padding, with a head on their last hidden states.
 *
 * Inputs: `input_ids`, `position_ids`, `token_type_ids` int64 [1, S]; those of {@link declareTexts}; and the head's. Outputs are the head's.
 *
 * @throws ModelFormatError when a tensor is missing or not of the shape the configuration asks for
 */
export function buildBertEncoder(
  config: BertConfig,
  weights: WeightIndex,
  head: EncoderHead,
  options: ComputeOptions,
): BuiltGraph {
  const bert = startBert('bert_encoder', config, weights, options)
  const { g } = bert
  const texts = declareTexts(g)
  const model = { ...bert, texts }
  let x = bertNorm(model, sumBertEmbeddings(model, declareBertTokens(g)), 'embeddings.LayerNorm')
  for (let i = 0; i < config.num_hidden_layers; i++) x = bertLayer(model, x, i, bertKeyValues(model, x, i), { texts })
  head(model, x, config.hidden_size)
  return g.build(weights.folder)
}

/** The inputs of every graph on BERT tokens, without their batch axis of one. */
export function declareBertTokens(g: GraphBuilder) {
  const declare = (name: string) => reshape(g, g.input(name, 'int64', [1, 'sequence']), [-1])
  return { ids: declare('input_ids'), positions: declare('position_ids'), segments: declare('token_type_ids') }
}
