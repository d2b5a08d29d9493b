import type { RopeConfig } from '../../models/language-models/rope-config.ts'
import type { GraphBuilder, Value } from '../../onnx/graph-builder.ts'
import { add, cast, greater, mul, sub } from '../../onnx/ops/elementwise.ts'
import { concat, countAlong, range, reshape, unsqueeze } from '../../onnx/ops/shape.ts'
import { BLOCKED, narrow } from '../layers/precision.ts'
import { computeRotaryCache } from '../layers/rotary-cache.ts'
import type { LanguageModelGraph } from './language-model-graph.ts'

/** The values that the attention of every layer reads. */
export interface AttentionInputs {
  readonly seqlensK: Value
  readonly totalSequenceLength: Value
  readonly cosCache: Value
  readonly sinCache: Value
  readonly positionIds: Value
  readonly attentionBias: Value | undefined
}

/**
 * Declares `position_ids` int64 [1, S], `seqlens_k` int32 [1], `total_sequence_length` int32 scalar and, with `biased`,
 * `attention_bias` float32 [1, 1, S, total].
 *
 * @param positions that rotary tables cover
 * @returns what layer i reads; layers with the same rotary embedding or the same window share it
 */
export function declareAttention(
  model: LanguageModelGraph,
  { positions, biased }: { readonly positions: number; readonly biased: boolean },
): (layer: number) => AttentionInputs {
  const { g, config } = model
  const positionIds = g.input('position_ids', 'int64', [1, 'sequence'])
  const seqlensK = g.input('seqlens_k', 'int32', [1])
  const totalSequenceLength = g.input('total_sequence_length', 'int32', [])
  const bias = biased ? g.input('attention_bias', 'float32', [1, 1, 'sequence', 'total_sequence']) : undefined
  const whole = bias === undefined ? undefined : narrow(model, bias)
  const tables = new Map<RopeConfig | undefined, { cosCache: Value; sinCache: Value }>()
  const windows = new Map<number, Value>()

  function tablesOf(rope: RopeConfig | undefined) {
    const made = tables.get(rope) ?? makeTables(model, rope, positions, tables.size)
    tables.set(rope, made)
    return made
  }
  function biasOf(window: number): Value {
    const blocked = windows.get(window) ?? blockFar(g, positionIds, totalSequenceLength, window)
    windows.set(window, blocked)
    return narrow(model, bias === undefined ? blocked : add(g, bias, blocked))
  }
  return (layer) => {
    const { rope, window } = config.layers[layer]!
    const attentionBias = window === undefined ? whole : biasOf(window)
    return { positionIds, seqlensK, totalSequenceLength, attentionBias, ...tablesOf(rope) }
  }
}

function makeTables(model: LanguageModelGraph, rope: RopeConfig | undefined, positions: number, index: number) {
  const { g, config } = model
  const { cos, sin } = computeRotaryCache(positions, config.head_dim, rope)
  const suffix = index === 0 ? '' : `.${index}`
  const table = (name: string, values: Float32Array) =>
    narrow(model, g.initializer(`${name}${suffix}`, 'float32', [positions, config.head_dim / 2], values))
  return { cosCache: table('cos_cache', cos), sinCache: table('sin_cache', sin) }
}

/**
 * [1, 1, S, total]: 0 where a token sees a position of its last `window` ones, itself counted, else `BLOCKED`. Those of
 * the cache are 0 and on; those of this pass are as `position_ids` has them, since questions restart behind the state.
 */
function blockFar(g: GraphBuilder, positionIds: Value, total: Value, window: number): Value {
  const rows = reshape(g, positionIds, [-1])
  const past = sub(g, cast(g, total, 'int64'), reshape(g, countAlong(g, rows, 0), []))
  const columns = concat(g, [range(g, past), rows], 0)
  const distance = sub(g, reshape(g, rows, [-1, 1]), columns)
  const blocked = cast(g, greater(g, distance, g.scalar(window - 1, 'int64')), 'float32')
  return unsqueeze(g, unsqueeze(g, mul(g, blocked, g.scalar(BLOCKED, 'float32')), 0), 0)
}
