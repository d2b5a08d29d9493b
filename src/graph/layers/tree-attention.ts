import type { GraphBuilder, Value } from '../../onnx/graph-builder.ts'
import { add, mul } from '../../onnx/ops/elementwise.ts'
import { matMul } from '../../onnx/ops/matmul.ts'
import { softmax } from '../../onnx/ops/normalization.ts'
import {
  concat,
  countAlong,
  dropAlong,
  gather,
  gatherAlong,
  reshape,
  reshapeLike,
  takeAlong,
  transpose,
} from '../../onnx/ops/shape.ts'
import type { AttentionBlocks } from './block-attention.ts'
import type { Heads } from './full-attention.ts'
import { narrow, widen } from './precision.ts'
import type { GraphContext } from './weights.ts'

/** The rows of a pass that see a trunk all of them see, and of each other only those of their block. */
export interface BranchRows {
  /** Every row of the pass is in one block. */
  readonly blocks: AttentionBlocks
  /** int64 [R]: where the result of each row is in the blocks. */
  readonly order: Value
}

/** Keys and values of the trunk, [T, heads · headSize] each, and of the pass, [S, heads · headSize]. */
export interface TreeRows {
  /** [R, heads · headSize] */
  readonly query: Value
  readonly key: Value
  readonly value: Value
  readonly pastKey: Value
  readonly pastValue: Value
}

/** Declares the inputs `{name}_rows`, `{name}_bias` and `{name}_order` of {@link BranchRows}, whose keys are `span`. */
export function declareBranchRows(g: GraphBuilder, name: string, span: Value): BranchRows {
  const [blocks, longest] = ['branches', `${name}_longest`]
  return {
    blocks: {
      rows: g.input(`${name}_rows`, 'int64', [blocks, longest]),
      span,
      bias: g.input(`${name}_bias`, 'float32', [blocks, longest, 'span']),
    },
    order: g.input(`${name}_order`, 'int64', [`${name}_read`]),
  }
}

/**
 * Attention of rows to a trunk and to their block: [R, heads · headSize] as the query, in the model's precision.
 *
 * A row is computed with the same numbers in the same order whatever other blocks are in the pass, so it does not change in its last bit
 * with them: where activations are rounded to integers, a difference in the last bit now and then becomes one of a whole step.
 */
export function treeAttention(model: GraphContext, rows: TreeRows, heads: Heads, { blocks, order }: BranchRows): Value {
  const { g } = model
  const { count, size } = heads
  const divided = (of: Value, permutation: readonly number[]) =>
    transpose(g, reshape(g, of, [-1, count, size]), permutation)
  const inBlocks = (of: Value, picked: Value, permutation: readonly number[]) =>
    transpose(g, reshape(g, gather(g, of, picked), [0, -1, count, size]), permutation)
  /** [heads, B, rows of a block, …] to [heads, R, …] */
  const outOfBlocks = (of: Value, width: Value) =>
    gatherAlong(g, reshapeLike(g, of, concat(g, [g.integers([count, -1]), width], 0)), order, 1)

  const query = mul(g, rows.query, narrow(model, g.scalar(size ** -0.5, 'float32')))
  const trunk = matMul(g, divided(query, [1, 0, 2]), divided(rows.pastKey, [1, 2, 0]))
  const own = matMul(g, inBlocks(query, blocks.rows, [2, 0, 1, 3]), inBlocks(rows.key, blocks.span, [2, 0, 3, 1]))
  const seen = outOfBlocks(add(g, widen(model, own), blocks.bias), countAlong(g, blocks.span, 1))
  const weights = narrow(model, softmax(g, concat(g, [widen(model, trunk), seen], -1)))

  const trunkLength = countAlong(g, rows.pastKey, 0)
  const ofTrunk = matMul(g, takeAlong(g, weights, trunkLength, -1), divided(rows.pastValue, [1, 0, 2]))
  const ownWeights = gatherAlong(g, dropAlong(g, weights, trunkLength, -1), blocks.rows, 1)
  const ofOwn = outOfBlocks(matMul(g, ownWeights, inBlocks(rows.value, blocks.span, [2, 0, 1, 3])), g.integers([size]))
  return reshape(g, transpose(g, add(g, ofTrunk, ofOwn), [1, 0, 2]), [-1, count * size])
}
