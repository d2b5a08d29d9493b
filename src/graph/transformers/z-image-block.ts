import type { ZImageConfig } from '../../models/configs/z-image-config.ts'
import type { Value } from '../../onnx/graph-builder.ts'
import { add, mul, tanh } from '../../onnx/ops/elementwise.ts'
import { simplifiedLayerNormalization } from '../../onnx/ops/normalization.ts'
import { reshape, split } from '../../onnx/ops/shape.ts'
import {
  fullAttention,
  normalizeHeads,
  rotateHeads,
  type RotaryValues,
  type TransformerGraph,
} from '../layers/full-attention.ts'
import { affine, linear } from '../layers/linear.ts'
import { endBlock, gatedShrunk, narrow, shrink, widen } from '../layers/precision.ts'
import { floatWeight } from '../layers/weights.ts'

/** What blocks are made from; those of a ControlNet have it in a configuration of their own. */
export type ZImageBlockConfig = Pick<ZImageConfig, 'dim' | 'n_heads' | 'norm_eps'>

export interface ZImageBlockModel extends TransformerGraph {
  readonly config: ZImageBlockConfig
}

/** Of the norms of queries and keys, whatever `norm_eps` of the configuration is. */
const HEAD_EPSILON = 1e-5

/** Factors [dim] of a block that knows the timestep. */
interface Modulation {
  readonly attentionScale: Value
  readonly attentionGate: Value
  readonly mlpScale: Value
  readonly mlpGate: Value
}

/** Width of the timestep embedding that modulates the blocks. */
export function modulationWidth({ dim }: Pick<ZImageConfig, 'dim'>): number {
  return Math.min(dim, 256)
}

/** Bytes that a block holds for each token while it runs: what is fed forward, and rows of the model's width around it. */
export function blockMemory(config: ZImageBlockConfig): number {
  return (3 * innerWidth(config) + 4 * config.dim) * Float32Array.BYTES_PER_ELEMENT
}

/**
 * One block of x [S, dim], with a norm before and after each half.
 *
 * @param rotary in the model's precision, as the timestep is
 * @param timestep embedding [1, modulationWidth]; a block that refines the caption has none
 */
export function zImageBlock(
  model: ZImageBlockModel,
  x: Value,
  name: string,
  rotary: RotaryValues,
  timestep: Value | undefined,
): Value {
  const { g } = model
  const modulation = timestep === undefined ? undefined : modulate(model, timestep, name)
  const attended = attend(
    model,
    norm(model, x, `${name}.attention_norm1`, modulation?.attentionScale),
    `${name}.attention`,
    rotary,
  )
  const y = add(g, x, norm(model, attended, `${name}.attention_norm2`, modulation?.attentionGate))
  const fed = feedForward(model, norm(model, y, `${name}.ffn_norm1`, modulation?.mlpScale), `${name}.feed_forward`)
  return add(g, y, norm(model, fed, `${name}.ffn_norm2`, modulation?.mlpGate))
}

function modulate(model: ZImageBlockModel, timestep: Value, name: string): Modulation {
  const { g, config } = model
  const { dim } = config
  const all = widen(model, affine(model, timestep, `${name}.adaLN_modulation.0`, 4 * dim, modulationWidth(config)))
  const [attentionScale, attentionGate, mlpScale, mlpGate] = split(g, reshape(g, all, [-1]), [
    dim,
    dim,
    dim,
    dim,
  ] as const)
  const one = g.scalar(1, 'float32')
  return {
    attentionScale: add(g, one, attentionScale),
    attentionGate: tanh(g, attentionGate),
    mlpScale: add(g, one, mlpScale),
    mlpGate: tanh(g, mlpGate),
  }
}

function attend(model: ZImageBlockModel, x: Value, name: string, rotary: RotaryValues): Value {
  const { dim, n_heads: count } = model.config
  const heads = { count, size: dim / count }
  const rows = narrow(model, x)
  const project = (part: string) => linear(model, rows, `${name}.${part}.weight`, dim, dim)
  const positioned = (part: 'q' | 'k') => {
    const normed = normalizeHeads(model, project(`to_${part}`), `${name}.norm_${part}.weight`, heads, HEAD_EPSILON)
    return rotateHeads(model, normed, rotary, heads)
  }
  const attended = fullAttention(model, positioned('q'), positioned('k'), project('to_v'), heads)
  return endBlock(model, linear(model, shrink(model, attended), `${name}.to_out.0.weight`, dim, dim))
}

function feedForward(model: ZImageBlockModel, x: Value, name: string): Value {
  const { dim } = model.config
  const inner = innerWidth(model.config)
  const rows = narrow(model, x)
  const gate = linear(model, rows, `${name}.w1.weight`, inner, dim)
  const up = linear(model, rows, `${name}.w3.weight`, inner, dim)
  return endBlock(model, linear(model, gatedShrunk(model, gate, up), `${name}.w2.weight`, dim, inner))
}

function innerWidth({ dim }: ZImageBlockConfig): number {
  return Math.trunc((dim / 3) * 8)
}

/** RMSNorm times `factor`, which meets the learned weight of one row rather than all rows. */
function norm(model: ZImageBlockModel, x: Value, name: string, factor: Value | undefined): Value {
  const {
    g,
    config: { dim, norm_eps: epsilon },
  } = model
  const weight = floatWeight(model, `${name}.weight`, [dim])
  return simplifiedLayerNormalization(g, x, factor === undefined ? weight : mul(g, weight, factor), epsilon)
}
