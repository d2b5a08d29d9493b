import { single, type GraphBuilder, type Value } from '../graph-builder.ts'

export interface ConvolutionShape {
  /** Side of the square kernel. */
  readonly kernel: number
  readonly stride: number
  /** Zeros added above, left, below and right. */
  readonly padding: readonly [number, number, number, number]
}

/** 2-D convolution of x [1, C, H, W] with weight [outputs, C, kernel, kernel] and bias [outputs], if there is one. */
export function conv(
  g: GraphBuilder,
  x: Value,
  weight: Value,
  bias: Value | undefined,
  shape: ConvolutionShape,
): Value {
  const attributes = {
    kernel_shape: [shape.kernel, shape.kernel],
    strides: [shape.stride, shape.stride],
    pads: shape.padding,
  }
  return single(g.node('Conv', bias === undefined ? [x, weight] : [x, weight, bias], { attributes }))
}
