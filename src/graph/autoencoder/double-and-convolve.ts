import type { Value } from '../../onnx/graph-builder.ts'
import { conv } from '../../onnx/ops/convolution.ts'
import { matMul } from '../../onnx/ops/matmul.ts'
import { interleave } from '../../onnx/ops/shape.ts'
import { narrow, widen } from '../layers/precision.ts'
import { computeWeight, floatWeight, type GraphContext } from '../layers/weights.ts'

/** Where a doubled picture repeats a value, the kernel's entries for it add up: below the upper pixel, above the lower. */
const SUMS = [Float32Array.of(1, 0, 0, 0, 1, 1), Float32Array.of(1, 1, 0, 0, 0, 1)] as const
const SUMS_TRANSPOSED = [Float32Array.of(1, 0, 0, 1, 0, 1), Float32Array.of(1, 0, 1, 0, 0, 1)] as const

/**
 * Doubles both sides of x [1, C, h, w], every pixel becoming a square of 2 x 2, and applies the stored 3 x 3 convolution of
 * that name. Each corner of a square depends on 2 x 2 pixels only, so four convolutions of that size do it with 4/9 of
 * the products and without the doubled picture. Their kernels are made once, when the session opens.
 *
 * @param biased whether the convolution has a stored bias. @defaultValue true
 */
export function doubleAndConvolve(
  model: GraphContext,
  x: Value,
  name: string,
  channels: number,
  { biased = true }: { readonly biased?: boolean } = {},
): Value {
  const { g } = model
  const weight = floatWeight(model, `${name}.weight`, [channels, channels, 3, 3])
  const bias = biased ? computeWeight(model, `${name}.bias`, [channels]) : undefined
  const narrowed = narrow(model, x)
  const corners = [0, 1].flatMap((lower) =>
    [0, 1].map((right) => {
      const rows = g.initializer(`corner_rows_${lower}`, 'float32', [2, 3], SUMS[lower]!)
      const columns = g.initializer(`corner_columns_${right}`, 'float32', [3, 2], SUMS_TRANSPOSED[right]!)
      const kernel = narrow(model, matMul(g, matMul(g, rows, weight), columns))
      const padding = [1 - lower, 1 - right, lower, right] as const
      return conv(g, narrowed, kernel, bias, { inputs: channels, kernel: 2, stride: 1, padding })
    }),
  )
  return widen(model, interleave(g, corners, channels))
}
