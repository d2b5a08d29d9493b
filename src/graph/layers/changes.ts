import { ModelFormatError } from '../../errors/index.ts'
import { type Change, sizeOf } from '../../models/lora/change.ts'
import type { GraphBuilder, Value } from '../../onnx/graph-builder.ts'
import { add } from '../../onnx/ops/elementwise.ts'
import { gemm, matMul, multiplyAndAdd } from '../../onnx/ops/matmul.ts'
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

/**
 * A float32 matrix [outputs, inputs] with changes that are products in it, by one operator, which the runtime computes once, when
 * the session loads: it keeps in memory whatever stands between.
 */
export function mergeProducts(g: GraphBuilder, weight: Value, name: string, products: readonly Change[]): Value {
  if (products.length === 0) return weight
  const { left, right } = joinProducts(g, name, products)
  return multiplyAndAdd(g, left, right, weight)
}

/** `x · Wᵀ` of the changed matrix from that of the stored one; x and results in the model's precision. */
export function addBranches(
  model: GraphContext,
  { x, product }: { readonly x: Value; readonly product: Value },
  name: string,
  changes: readonly Change[],
): Value {
  const { g } = model
  const products = changes.filter(isProduct)
  const sums = changes.flatMap((change, index) =>
    isProduct(change) ? [] : [kroneckerBranch(model, x, change, `${name}.lora.${index}`)],
  )
  if (products.length > 0) {
    const { left, right } = joinProducts(g, name, products)
    sums.push(gemm(g, gemm(g, x, narrow(model, right)), narrow(model, left)))
  }
  return sums.reduce((sum, branch) => add(g, sum, branch), product)
}

export function isProduct({ kind }: Change): boolean {
  return kind === 'product'
}

/** Several changes as one product, whose rank is that of all together: left [outputs, rank], right [rank, inputs]. */
function joinProducts(g: GraphBuilder, name: string, changes: readonly Change[]): { left: Value; right: Value } {
  const [{ left: one, right: other }] = changes as readonly [Change]
  const [outputs, inputs] = [one.rows, other.columns]
  const rank = changes.reduce((sum, { right }) => sum + right.rows, 0)
  const left = new Float32Array(outputs * rank)
  const right = new Float32Array(rank * inputs)
  let first = 0
  for (const change of changes) {
    const { columns, values } = change.left
    for (let i = 0; i < values.length; i++) {
      left[Math.floor(i / columns) * rank + first + (i % columns)] = change.scale * values[i]!
    }
    right.set(change.right.values, first * inputs)
    first += columns
  }
  return {
    left: g.initializer(`${name}.lora.left`, 'float32', [outputs, rank], left),
    right: g.initializer(`${name}.lora.right`, 'float32', [rank, inputs], right),
  }
}

/** x [S, inputs] times a Kronecker product, [S, outputs], by way of its two factors. */
function kroneckerBranch(model: GraphContext, x: Value, { left, right, scale, part }: Change, name: string): Value {
  const { g } = model
  const scaled = left.values.map((value) => scale * value)
  const outer = narrow(model, g.initializer(`${name}.left`, 'float32', [left.rows, left.columns], scaled))
  const inner = narrow(model, g.initializer(`${name}.right`, 'float32', [right.rows, right.columns], right.values))
  const rows = reshape(g, x, [-1, left.columns, right.columns])
  const product = matMul(g, outer, matMul(g, rows, transpose(g, inner, [1, 0])))
  const all = reshape(g, product, [-1, left.rows * right.rows])
  // Where one matrix of the adapter stands for several of the model, these outputs are of this one.
  return part === undefined ? all : head(g, dropAlong(g, all, g.integers([part.first]), 1), part.count)
}
