import type { Value } from '../../onnx/graph-builder.ts'
import { gemm } from '../../onnx/ops/matmul.ts'
import { gatherRows, linear } from '../layers/linear.ts'
import { narrow, widen } from '../layers/precision.ts'
import type { LanguageModelGraph } from './language-model-graph.ts'

/**
 * How the hidden state of a row [R, hidden] becomes an answer. `symbols`: `logits` [R, K] over the K tokens of the
 * input `symbol_ids`. `vocabulary`: `logits` [R, vocab_size] over all tokens.
 */
export type LanguageModelHead = 'symbols' | 'vocabulary'

export function addLanguageModelHead(model: LanguageModelGraph, hidden: Value, head: LanguageModelHead): void {
  if (head === 'symbols') addSymbolHead(model, hidden)
  else addVocabularyHead(model, hidden)
}

function addSymbolHead(model: LanguageModelGraph, hidden: Value): void {
  const { g, config } = model
  const symbolIds = g.input('symbol_ids', 'int64', ['symbols'])
  const symbols = gatherRows(model, headName(model), symbolIds, config.vocab_size, config.hidden_size)
  g.output('logits', gemm(g, hidden, symbols), 'float32', ['rows', 'symbols'])
}

function addVocabularyHead(model: LanguageModelGraph, hidden: Value): void {
  const { vocab_size: vocabulary, hidden_size: width } = model.config
  const logits = widen(model, linear(model, narrow(model, hidden), headName(model), vocabulary, width))
  model.g.output('logits', logits, 'float32', ['rows', vocabulary])
}

/** Tied embeddings are the head of a file that has none; transformers reads the one that is there. */
function headName({ config, weights, prefix }: LanguageModelGraph): string {
  const own = !config.tie_word_embeddings || weights.get('lm_head.weight') !== undefined
  return own ? 'lm_head.weight' : `${prefix}embed_tokens.weight`
}
