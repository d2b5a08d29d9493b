import type { AutoencoderConfig } from '../../models/configs/autoencoder-config.ts'
import type { Value } from '../../onnx/graph-builder.ts'
import { conv } from '../../onnx/ops/convolution.ts'
import { add, div, mul, silu, sqrt, sub } from '../../onnx/ops/elementwise.ts'
import { instanceNormalization } from '../../onnx/ops/normalization.ts'
import { reshape, reshapeLike, shapeOf, transpose } from '../../onnx/ops/shape.ts'
import { fullAttention, type AttentionGraph } from '../layers/full-attention.ts'
import { affine } from '../layers/linear.ts'
import { narrow, widen } from '../layers/precision.ts'
import { computeWeight, floatWeight, type GraphContext } from '../layers/weights.ts'

export interface AutoencoderModel extends AttentionGraph {
  readonly config: AutoencoderConfig
}

/** Statistics that a GroupNorm is given instead of its own: mean and variance of each group, float32 [groups]. */
export interface GivenStatistics {
  readonly mean: Value
  readonly variance: Value
}

const EPSILON = 1e-6

interface ConvolutionOptions {
  readonly inputs: number
  readonly outputs: number
  readonly kernel: 1 | 3
  /** Halves the picture; it is padded right and below only. */
  readonly halve?: boolean
}

/** The stored convolution of that name on x [1, inputs, H, W]. */
export function convolution(model: GraphContext, x: Value, name: string, options: ConvolutionOptions): Value {
  const { inputs, outputs, kernel, halve = false } = options
  const weight = computeWeight(model, `${name}.weight`, [outputs, inputs, kernel, kernel])
  const bias = computeWeight(model, `${name}.bias`, [outputs])
  const side = (kernel - 1) / 2
  const shape = halve
    ? ({ inputs, kernel, stride: 2, padding: [0, 0, 1, 1] } as const)
    : ({ inputs, kernel, stride: 1, padding: [side, side, side, side] } as const)
  return widen(model, conv(model.g, narrow(model, x), weight, bias, shape))
}

/** The stored GroupNorm of that name. The fused operators for it exist on some execution providers only. */
function groupNorm(model: AutoencoderModel, x: Value, name: string, channels: number): Value {
  const { g, config } = model
  const groups = config.norm_num_groups
  const normed = instanceNormalization(g, reshape(g, x, [1, groups, -1]), groups, EPSILON)
  const perChannel = (part: string) => reshape(g, floatWeight(model, `${name}.${part}`, [channels]), [channels, 1, 1])
  return add(g, mul(g, reshapeLike(g, normed, shapeOf(g, x)), perChannel('weight')), perChannel('bias'))
}

/** The same with the statistics of a whole picture, of which x is a part. */
function groupNormAs(
  model: AutoencoderModel,
  x: Value,
  name: string,
  channels: number,
  { mean, variance }: GivenStatistics,
): Value {
  const { g, config } = model
  const groups = config.norm_num_groups
  const stored = (part: string) => reshape(g, floatWeight(model, `${name}.${part}`, [channels]), [groups, -1])
  const deviation = sqrt(g, add(g, reshape(g, variance, [groups, 1]), g.scalar(EPSILON, 'float32')))
  const scale = div(g, stored('weight'), deviation)
  const shift = sub(g, stored('bias'), mul(g, reshape(g, mean, [groups, 1]), scale))
  const perChannel = (values: Value) => reshape(g, values, [channels, 1, 1])
  return add(g, mul(g, x, perChannel(scale)), perChannel(shift))
}

/** @param statistics those to normalise with. @defaultValue x's own */
export function normAndActivate(
  model: AutoencoderModel,
  x: Value,
  name: string,
  channels: number,
  statistics?: GivenStatistics,
): Value {
  const normed =
    statistics === undefined ? groupNorm(model, x, name, channels) : groupNormAs(model, x, name, channels, statistics)
  return silu(model.g, normed)
}

/** The first convolution of a residual block. */
export function beginResidualBlock(
  model: AutoencoderModel,
  x: Value,
  name: string,
  inputs: number,
  outputs: number,
  statistics?: GivenStatistics,
): Value {
  const activated = normAndActivate(model, x, `${name}.norm1`, inputs, statistics)
  return convolution(model, activated, `${name}.conv1`, { inputs, outputs, kernel: 3 })
}

/**
 * Two convolutions, and around them the input, brought to their channels where these differ.
 *
 * @param statistics those of its two norms. @defaultValue what they measure on their own inputs
 */
export function residualBlock(
  model: AutoencoderModel,
  x: Value,
  name: string,
  inputs: number,
  outputs: number,
  statistics: readonly GivenStatistics[] = [],
): Value {
  const middle = beginResidualBlock(model, x, name, inputs, outputs, statistics[0])
  const second = normAndActivate(model, middle, `${name}.norm2`, outputs, statistics[1])
  const last = convolution(model, second, `${name}.conv2`, { inputs: outputs, outputs, kernel: 3 })
  const shortcut =
    inputs === outputs ? x : convolution(model, x, `${name}.conv_shortcut`, { inputs, outputs, kernel: 1 })
  return add(model.g, shortcut, last)
}

/** The lowest resolution: residual block, attention of every pixel to every pixel, residual block. */
export function middleBlock(model: AutoencoderModel, x: Value, name: string, channels: number): Value {
  const first = residualBlock(model, x, `${name}.resnets.0`, channels, channels)
  const attended = model.config.mid_block_add_attention
    ? pixelAttention(model, first, `${name}.attentions.0`, channels)
    : first
  return residualBlock(model, attended, `${name}.resnets.1`, channels, channels)
}

function pixelAttention(model: AutoencoderModel, x: Value, name: string, channels: number): Value {
  const { g } = model
  const normed = groupNorm(model, x, `${name}.group_norm`, channels)
  const pixels = transpose(g, reshape(g, narrow(model, normed), [channels, -1]), [1, 0])
  const project = (rows: Value, part: string) => affine(model, rows, `${name}.${part}`, channels, channels)
  const [q, k, v] = ['to_q', 'to_k', 'to_v'].map((part) => project(pixels, part)) as [Value, Value, Value]
  const attended = widen(model, project(fullAttention(model, q, k, v, { count: 1, size: channels }), 'to_out.0'))
  return add(g, x, reshapeLike(g, transpose(g, attended, [1, 0]), shapeOf(g, x)))
}
