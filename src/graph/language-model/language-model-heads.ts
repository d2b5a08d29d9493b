import type { Value } from '../../onnx/graph-builder.ts'
import { gemm } from '../../onnx/ops/matmul.ts'
import { gatherRows, linear } from '../layers/linear.ts'
import { narrow, widen } from '../layers/precision.ts'
import { requireTensor } from '../layers/weights.ts'
import type { LanguageModelGraph } from './language-model-graph.ts'

/**
 * How the hidden state of a row [R, hidden] becomes an answer. `symbols`: `logits` [R, K] over the K tokens of the
 * input `symbol_ids`. `pointer`: `pointer_query` and `pointer_key` [R, P], whose products score one row against
 * another.
 */
export type LanguageModelHead = 'symbols' | 'pointer'

export function addLanguageModelHead(model: LanguageModelGraph, hidden: Value, head: LanguageModelHead): void {
  if (head === 'symbols') addSymbolHead(model, hidden)
  else addPointerHead(model, hidden)
}

function addSymbolHead(model: LanguageModelGraph, hidden: Value): void {
  const { g, config } = model
  const symbolIds = g.input('symbol_ids', 'int64', ['symbols'])
  // Tied embeddings are the head of a file that has none; transformers reads the one that is there.
  const own = !config.tie_word_embeddings || model.weights.get('lm_head.weight') !== undefined
  const name = own ? 'lm_head.weight' : `${model.prefix}embed_tokens.weight`
  const symbols = gatherRows(model, name, symbolIds, config.vocab_size, config.hidden_size)
  g.output('logits', gemm(g, hidden, symbols), 'float32', ['rows', 'symbols'])
}

function addPointerHead(model: LanguageModelGraph, hidden: Value): void {
  for (const side of ['query', 'key'] as const) {
    const name = `pointer.${side}.weight`
    const width = requireTensor(model.weights, name).shape[0] ?? 0
    const projected = widen(model, linear(model, narrow(model, hidden), name, width, model.config.hidden_size))
    model.g.output(`pointer_${side}`, projected, 'float32', ['rows', width])
  }
}
