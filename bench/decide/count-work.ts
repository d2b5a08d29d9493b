import type { LanguageModelConfig } from '../../src/models/index.ts'
import { layerMatrices } from '../models/qwen3-shape.ts'
import type { Pass } from './record-passes.ts'

/** What prefill passes compute: tokens, and operations (a multiplication and an addition count as two) in 10⁹. */
export interface PrefillWork {
  readonly tokens: number
  readonly linear_gflop: number
  readonly attention_gflop: number
}

/** Counts what the cache needs and no more: of the last layer, the keys and values; of the scores, the causal half. */
export function countPrefillWork(config: LanguageModelConfig, passes: readonly Pass[]): PrefillWork {
  const sizes = Object.entries(layerMatrices(config)).map(([name, [rows, width]]) => ({ name, size: rows * width }))
  const sum = (some: typeof sizes) => some.reduce((total, { size }) => total + size, 0)
  const full = config.num_hidden_layers - 1
  const weights = full * sum(sizes) + sum(sizes.filter(({ name }) => /[kv]_proj/.test(name)))
  let tokens = 0
  let scores = 0
  for (const { feeds } of passes) {
    const size = feeds['input_ids']?.dims[1] ?? 0
    const past = Number(feeds['total_sequence_length']?.data[0]) - size
    tokens += size
    scores += size * past + (size * (size + 1)) / 2
  }
  return {
    tokens,
    linear_gflop: (2 * weights * tokens) / 1e9,
    attention_gflop: (4 * full * config.num_attention_heads * config.head_dim * scores) / 1e9,
  }
}
