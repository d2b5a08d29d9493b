import type { GraphBuilder, Value } from '../graph-builder.ts'
import { sub } from './elementwise.ts'
import { concat, head } from './shape.ts'

export interface ConvolutionShape {
  /** Channels of the input. */
  readonly inputs: number
  /** Side of the square kernel. */
  readonly kernel: number
  readonly stride: number
  /** Zeros added above, left, below and right. */
  readonly padding: readonly [number, number, number, number]
}

/** 2-D convolution of x [1, inputs, H, W] with weight [outputs, inputs, kernel, kernel] and bias [outputs], if there is one. */
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
  const [pixels, weights] = isMiscomputed(shape) ? withFullGroups(g, x, weight, shape.inputs) : [x, weight]
  return g.node('Conv', bias === undefined ? [pixels, weights] : [pixels, weights, bias], { attributes })
}

/**
 * onnxruntime's WebGPU takes such channels in groups of three, and is off by as much as the right values are: measured
 * with onnxruntime-node 1.30 and 6 to 33 channels. Three channels, as pictures have, are right, and so are kernels of one pixel.
 */
function isMiscomputed({ inputs, kernel }: ConvolutionShape): boolean {
  return kernel > 1 && inputs > 3 && inputs % 3 === 0 && inputs % 4 !== 0
}

/** The same convolution with a multiple of four channels: some come twice, the second time with weights of zero. */
function withFullGroups(g: GraphBuilder, x: Value, weight: Value, inputs: number): [Value, Value] {
  const missing = 4 - (inputs % 4)
  const some = head(g, weight, missing)
  return [concat(g, [x, head(g, x, missing)], 1), concat(g, [weight, sub(g, some, some)], 1)]
}
