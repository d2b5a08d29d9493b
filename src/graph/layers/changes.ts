import { ModelFormatError } from '../../errors/index.ts'
import { type Change, sizeOf, wholeSize } from '../../models/lora/change.ts'
import type { GraphBuilder, Value } from '../../onnx/graph-builder.ts'
import { add, mul } from '../../onnx/ops/elementwise.ts'
import { gemm, matMul } from '../../onnx/ops/matmul.ts'
import { dropAlong, head, reshape, transpose } from '../../onnx/ops/shape.ts'
import { narrow } from './precision.ts'
import type { GraphContext } from './weights.ts'

/**
 * What adapters add to the matrix of that name.
 *
 * @throws ModelFormatError when one is of another size
 */
export function changesOf({ weights }: GraphContext, name: string, outputs: number, inputs: number): readonly Change[] {
  const changes = weights.changes?.get(name) ?? []
  for (const change of changes) {
    const [rows, columns] = sizeOf(change)
    if (rows === outputs && columns === inputs) continue
    throw new ModelFormatError(change.file, `a change of ${name} [${outputs},${inputs}]`, `[${rows},${columns}]`)
  }
  return changes
}

/** A float32 matrix [outputs, inputs] with its changes in it: the runtime computes it once, when the session loads. */
export function mergeChanges(g: GraphBuilder, weight: Value, name: string, changes: readonly Change[]): Value {
  return changes.reduce((merged, change, index) => add(g, merged, expand(g, change, `${name}.lora.${index}`)), weight)
}

/** `x · Wᵀ` of the changed matrix from that of the stored one, which may be quantised; x and results in the model's precision. */
export function addBranches(
  model: GraphContext,
  { x, product }: { readonly x: Value; readonly product: Value },
  name: string,
  changes: readonly Change[],
): Value {
  return changes.reduce(
    (sum, change, index) => add(model.g, sum, branch(model, x, change, `${name}.lora.${index}`)),
    product,
  )
}

/** The change itself, float32 [outputs, inputs]. */
function expand(g: GraphBuilder, change: Change, name: string): Value {
  const { kind, left, right } = change
  if (kind === 'product') return matMul(g, leftOf(g, change, name), rightOf(g, change, name))
  const outer = reshape(g, leftOf(g, change, name), [left.rows, 1, left.columns, 1])
  const inner = reshape(g, rightOf(g, change, name), [1, right.rows, 1, right.columns])
  return takePart(g, reshape(g, mul(g, outer, inner), [...wholeSize(change)]), change, 0)
}

/** x [S, inputs] times the change, [S, outputs], by way of its two factors. */
function branch(model: GraphContext, x: Value, change: Change, name: string): Value {
  const { g } = model
  const { kind, left, right } = change
  const [outer, inner] = [narrow(model, leftOf(g, change, name)), narrow(model, rightOf(g, change, name))]
  if (kind === 'product') return gemm(g, gemm(g, x, inner), outer)
  const rows = reshape(g, x, [-1, left.columns, right.columns])
  const product = matMul(g, outer, matMul(g, rows, transpose(g, inner, [1, 0])))
  return takePart(g, reshape(g, product, [-1, left.rows * right.rows]), change, 1)
}

/** The outputs of a change that is a part of what its factors make. */
function takePart(g: GraphBuilder, x: Value, { part }: Change, axis: number): Value {
  if (part === undefined) return x
  return head(g, dropAlong(g, x, g.integers([part.first]), axis), part.count, axis)
}

/** The left factor, with the strength of the change in it. */
function leftOf(g: GraphBuilder, { left, scale }: Change, name: string): Value {
  const values = left.values.map((value) => scale * value)
  return g.initializer(`${name}.left`, 'float32', [left.rows, left.columns], values)
}

function rightOf(g: GraphBuilder, { right }: Change, name: string): Value {
  return g.initializer(`${name}.right`, 'float32', [right.rows, right.columns], right.values)
}
