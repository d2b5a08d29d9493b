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
import type { Heads } from './full-attention.ts'
import { narrow, widen } from './precision.ts'
import type { GraphContext } from './weights.ts'

/** The rows of a pass that see a trunk all of them see, and of each other only those of their block. */
export interface BranchRows {
  /** int64 [blocks, B]: the query rows of each block, filled up with rows that are not used. Every row is in one. */
  readonly rows: Value
  /** int64 [blocks, K]: the key rows that those may see. */
  readonly span: Value
  /** int64 [R]: where the result of each row is in the blocks. */
  readonly order: Value
  /** float32 [R, K]: 0 where a row sees a key of its block, else a number that leaves nothing of its weight. */
  readonly bias: Value
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

/** Declares the inputs `{name}_rows`, `{name}_order` and `{name}_bias` of {@link BranchRows}, whose keys are `span`. */
export function declareBranchRows(g: GraphBuilder, name: string, span: Value): BranchRows {
  return {
    rows: g.input(`${name}_rows`, 'int64', ['branches', `${name}_longest`]),
    span,
    order: g.input(`${name}_order`, 'int64', [`${name}_read`]),
    bias: g.input(`${name}_bias`, 'float32', [`${name}_read`, 'span']),
  }
}

/**
 * Attention of rows to a trunk and to their block: [R, heads · headSize] as the query, in the model's precision.
 *
 * A row is computed with the same numbers in the same order whatever other blocks are in the pass, so it does not change in its last bit
 * with them: where activations are rounded to integers, a difference in the last bit now and then becomes one of a whole step.
 */
export function treeAttention(model: GraphContext, tokens: TreeRows, heads: Heads, branches: BranchRows): Value {
  const { g } = model
  const { count, size } = heads
  const { rows, span, order, bias } = branches
  const divided = (of: Value, permutation: readonly number[]) =>
    transpose(g, reshape(g, of, [-1, count, size]), permutation)
  /** [heads · blocks, picked rows of a block, size] */
  const inBlocks = (of: Value, picked: Value) => {
    const parted = transpose(g, reshape(g, gather(g, of, picked), [0, -1, count, size]), [2, 0, 1, 3])
    return reshapeLike(g, parted, concat(g, [g.integers([-1]), countAlong(g, picked, 1), g.integers([size])], 0))
  }
  /** [heads · blocks, rows of a block, width] to [heads, R, width] */
  const outOfBlocks = (of: Value, width: Value) =>
    gatherAlong(g, reshapeLike(g, of, concat(g, [g.integers([count, -1]), width], 0)), order, 1)

  const query = mul(g, tokens.query, narrow(model, g.scalar(size ** -0.5, 'float32')))
  const trunk = matMul(g, divided(query, [1, 0, 2]), divided(tokens.pastKey, [1, 2, 0]))
  // As the last step before a product, onnxruntime reads the swapped keys where they are; moved in one step with the heads, it copies them number by number.
  const own = matMul(g, inBlocks(query, rows), transpose(g, inBlocks(tokens.key, span), [0, 2, 1]))
  const seen = add(g, widen(model, outOfBlocks(own, countAlong(g, span, 1))), bias)
  const weights = narrow(model, softmax(g, concat(g, [widen(model, trunk), seen], -1)))

  const trunkLength = countAlong(g, tokens.pastKey, 0)
  const ofTrunk = matMul(g, takeAlong(g, weights, trunkLength, -1), divided(tokens.pastValue, [1, 0, 2]))
  const ownWeights = gatherAlong(g, dropAlong(g, weights, trunkLength, -1), reshape(g, rows, [-1]), 1)
  const inBlock = concat(g, [g.integers([-1]), countAlong(g, rows, 1), countAlong(g, span, 1)], 0)
  const ofOwn = matMul(g, reshapeLike(g, ownWeights, inBlock), inBlocks(tokens.value, span))
  const attended = add(g, ofTrunk, outOfBlocks(ofOwn, g.integers([size])))
  return reshape(g, transpose(g, attended, [1, 0, 2]), [-1, count * size])
}
