import type { BertConfig } from '../../src/models/configs/bert-config.ts'
import type { LanguageModelConfig } from '../../src/models/index.ts'
import { layerMatrices } from '../models/language-model-shape.ts'
import type { Pass } from './record-passes.ts'

/** What prefill passes compute: tokens, and operations (a multiplication and an addition count as two) in 10⁹. */
export interface PrefillWork {
  readonly tokens: number
  readonly linear_gflop: number
  readonly attention_gflop: number
}

/** The layers that a state goes through. */
export interface LayerSizes {
  readonly layers: number
  /** Weights of a layer, and those of the last one that are needed: its keys and values. */
  readonly weights: number
  readonly lastWeights: number
  /** Heads times their size. */
  readonly attentionWidth: number
  /** Whether a token sees only those before it. */
  readonly causal: boolean
}

export function languageModelSizes(config: LanguageModelConfig): LayerSizes {
  const sizes = Object.entries(layerMatrices(config)).map(([name, [rows, width]]) => ({ name, size: rows * width }))
  const sum = (some: typeof sizes) => some.reduce((total, { size }) => total + size, 0)
  return {
    layers: config.num_hidden_layers,
    weights: sum(sizes),
    lastWeights: sum(sizes.filter(({ name }) => /[kv]_proj/.test(name))),
    attentionWidth: config.num_attention_heads * config.head_dim,
    causal: true,
  }
}

export function encoderSizes({
  num_hidden_layers,
  hidden_size: width,
  intermediate_size: inner,
}: BertConfig): LayerSizes {
  return {
    layers: num_hidden_layers,
    weights: 4 * width * width + 2 * width * inner,
    lastWeights: 2 * width * width,
    attentionWidth: width,
    causal: false,
  }
}

/** Counts what keys and values need and no more: of the last layer, themselves; of causal scores, the half that is seen. */
export function countPrefillWork(model: LayerSizes, passes: readonly Pass[]): PrefillWork {
  const full = model.layers - 1
  let tokens = 0
  let scores = 0
  for (const { feeds } of passes) {
    const size = feeds['input_ids']?.dims[1] ?? 0
    tokens += size
    const before = model.causal ? Number(feeds['total_sequence_length']?.data[0]) - size : 0
    scores += size * before + (model.causal ? (size * (size + 1)) / 2 : size * size)
  }
  return {
    tokens,
    linear_gflop: (2 * (full * model.weights + model.lastWeights) * tokens) / 1e9,
    attention_gflop: (4 * full * model.attentionWidth * scores) / 1e9,
  }
}
