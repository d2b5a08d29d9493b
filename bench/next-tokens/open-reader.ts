import type { Backend } from '../../src/backends/index.ts'
import { int64 } from '../../src/decide/int64-tensor.ts'
import { buildLanguageModel, chooseLinear } from '../../src/graph/index.ts'
import { readModelConfig } from '../../src/models/configs/model-config.ts'
import { openModel } from '../../src/models/index.ts'
import { readLanguageModelConfig } from '../../src/models/language-models/families.ts'
import { indexWeights } from '../../src/models/weights/index-weights.ts'

/** Logits [tokens, vocabulary] behind every token of a text, for as long as `use` runs. */
export type Reader = (text: readonly number[], use: (logits: Float32Array) => void | Promise<void>) => Promise<void>

/** Opens a checkpoint as decisions do, with products that its format has; all tokens are symbols of answers. */
export async function openReader(backend: Backend, folder: string, positions: number): Promise<Reader> {
  const files = openModel(folder)
  const config = readLanguageModelConfig(await readModelConfig(files))
  const weights = await indexWeights(files)
  const graph = buildLanguageModel(config, weights, {
    graph: 'branch',
    linear: chooseLinear(weights),
    maxPositions: positions,
  })
  const session = await backend.createSession(graph)
  const past = {
    type: 'float32' as const,
    dims: [1, config.num_key_value_heads, 0, config.head_dim],
    data: new Float32Array(),
  }
  const pasts = config.layers.flatMap(
    (_, i) =>
      [
        [`past_key.${i}`, past],
        [`past_value.${i}`, past],
      ] as const,
  )
  const symbols = Array.from({ length: config.vocab_size }, (_, id) => id)
  return async (text, use) => {
    const { length } = text
    const places = text.map((_, i) => i)
    const results = await session.run({
      input_ids: int64(text, [1, length]),
      position_ids: int64(places, [1, length]),
      rows: int64(places, [length]),
      symbol_ids: int64(symbols, [symbols.length]),
      seqlens_k: { type: 'int32', dims: [1], data: Int32Array.of(length - 1) },
      total_sequence_length: { type: 'int32', dims: [], data: Int32Array.of(length) },
      attention_bias: { type: 'float32', dims: [1, 1, length, length], data: new Float32Array(length ** 2) },
      ...Object.fromEntries(pasts),
    })
    await use(results['logits']!.data as Float32Array)
    session.free(results)
  }
}
