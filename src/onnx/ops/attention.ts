import type { GraphBuilder, Value } from '../graph-builder.ts'

export interface GroupQueryAttentionInputs {
  /** [1, S, heads · headSize] */
  readonly query: Value
  /** [1, S, kvHeads · headSize] */
  readonly key: Value
  /** [1, S, kvHeads · headSize] */
  readonly value: Value
  /** [1, kvHeads, T, headSize], rotated already; left out where there is no past */
  readonly pastKey?: Value
  readonly pastValue?: Value
  /** int32 [1]: valid positions after this call, minus one. */
  readonly seqlensK: Value
  /** int32 scalar: valid positions after this call. */
  readonly totalSequenceLength: Value
  /** [positions, headSize / 2]; left out where query and key are rotated already, as past keys always are. */
  readonly cosCache?: Value | undefined
  readonly sinCache?: Value | undefined
  /** int64 [1, S] */
  readonly positionIds?: Value | undefined
  /** [1, 1, S, totalSequenceLength], added to the scores on top of the causal mask. */
  readonly attentionBias?: Value | undefined
}

export interface GroupQueryAttentionOutputs {
  /** [1, S, heads · headSize] */
  readonly output: Value
  readonly presentKey: Value
  readonly presentValue: Value
}

/**
 * Causal attention with grouped heads, rotary embedding (half-split pairs) and a KV cache.
 *
 * @param heads `scale` is what scores are multiplied by. @defaultValue 1/√headSize
 */
export function groupQueryAttention(
  g: GraphBuilder,
  inputs: GroupQueryAttentionInputs,
  heads: { readonly query: number; readonly keyValue: number; readonly scale?: number },
): GroupQueryAttentionOutputs {
  const { query, key, value, pastKey, pastValue, seqlensK, totalSequenceLength, cosCache, sinCache } = inputs
  const cached = [query, key, value, pastKey, pastValue, seqlensK, totalSequenceLength]
  const bias = inputs.attentionBias === undefined ? [] : [inputs.attentionBias]
  const [output, presentKey, presentValue] = g.nodeOf(
    3,
    'GroupQueryAttention',
    [...cached, cosCache, sinCache, inputs.positionIds, ...bias],
    {
      domain: 'com.microsoft',
      attributes: {
        num_heads: { int: heads.query },
        kv_num_heads: { int: heads.keyValue },
        do_rotary: { int: cosCache === undefined ? 0 : 1 },
        ...(heads.scale !== undefined && { scale: { float: heads.scale } }),
      },
    },
  ) as [Value, Value, Value]
  return { output, presentKey, presentValue }
}

/**
 * Attention of every query row to every key row: query [1, R, heads · headSize], key and value [1, T, heads · headSize];
 * scale 1/√headSize. Without a bias the kernel never has all scores in memory at once.
 *
 * @param bias [1, 1, R, T], added to the scores
 */
export function multiHeadAttention(
  g: GraphBuilder,
  query: Value,
  key: Value,
  value: Value,
  heads: number,
  bias?: Value,
): Value {
  const options = { domain: 'com.microsoft', attributes: { num_heads: { int: heads } } }
  const inputs = bias === undefined ? [query, key, value] : [query, key, value, undefined, undefined, bias]
  return g.node('MultiHeadAttention', inputs, options)
}
