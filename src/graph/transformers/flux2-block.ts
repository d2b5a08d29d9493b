import type { Flux2Config } from '../../models/configs/flux2-config.ts'
import type { Value } from '../../onnx/graph-builder.ts'
import { add, mul } from '../../onnx/ops/elementwise.ts'
import { layerNormalization } from '../../onnx/ops/normalization.ts'
import { concat, countRows, dropRows, split, takeRows } from '../../onnx/ops/shape.ts'
import type { RunMemory } from '../../onnx/weigh-graph.ts'
import {
  fullAttention,
  normalizeHeads,
  rotateHeads,
  type Heads,
  type RotaryValues,
  type TransformerGraph,
} from '../layers/full-attention.ts'
import { linear } from '../layers/linear.ts'
import { endBlock, gatedShrunk, narrow, shrink } from '../layers/precision.ts'

export interface Flux2Model extends TransformerGraph {
  readonly config: Flux2Config
}

/** The factors by which a timestep modulates one half of a block; [dim] each. */
export interface Modulation {
  readonly shift: Value
  readonly scale: Value
  readonly gate: Value
}

/** The two token streams of the first blocks. */
export interface Streams {
  readonly text: Value
  readonly image: Value
}

/** The factors by which a timestep modulates the two halves of a block. */
interface BlockModulation {
  readonly attention: Modulation
  readonly mlp: Modulation
}

export type StreamModulations = Readonly<Record<keyof Streams, BlockModulation>>

export function modelWidth({ num_attention_heads: count, attention_head_dim: size }: Flux2Config): number {
  return count * size
}

/** LayerNorm without learned weights, then scale and shift. */
export function normAndModulate(model: Flux2Model, x: Value, { shift, scale }: Omit<Modulation, 'gate'>): Value {
  const { g, config } = model
  return layerNormalization(g, x, add(g, g.scalar(1, 'float32'), scale), shift, config.eps)
}

/** Text and image with weights of their own and one attention over both, text rows first. */
export function doubleStreamBlock(
  model: Flux2Model,
  { text, image }: Streams,
  name: string,
  modulations: StreamModulations,
  rotary: RotaryValues,
): Streams {
  const { g, config } = model
  const width = modelWidth(config)
  const project = (x: Value, part: string) => linear(model, x, `${name}.attn.${part}.weight`, width, width)
  const normedText = narrow(model, normAndModulate(model, text, modulations.text.attention))
  const normedImage = narrow(model, normAndModulate(model, image, modulations.image.attention))
  const textHeads = normalizedProjections(model, name, (part) => project(normedText, `add_${part}_proj`), 'added_')
  const imageHeads = normalizedProjections(model, name, (part) => project(normedImage, `to_${part}`), '')
  const joint = textHeads.map((rows, i) => concat(g, [rows, imageHeads[i]!], 0)) as [Value, Value, Value]
  const attended = attend(model, joint, rotary)
  const textRows = countRows(g, text)

  const finish = (x: Value, rows: Value, output: string, feed: string, { attention, mlp }: BlockModulation) => {
    const y = add(g, x, mul(g, attention.gate, endBlock(model, project(shrink(model, rows), output))))
    const fed = feedForward(model, normAndModulate(model, y, mlp), `${name}.${feed}`)
    return add(g, y, mul(g, mlp.gate, fed))
  }
  return {
    text: finish(text, takeRows(g, attended, textRows), 'to_add_out', 'ff_context', modulations.text),
    image: finish(image, dropRows(g, attended, textRows), 'to_out.0', 'ff', modulations.image),
  }
}

/** A block holds for each token its projection, the same cut into parts, and rows of the model's width around it. */
export function describeRun(config: Flux2Config): RunMemory {
  const width = modelWidth(config)
  const held = 2 * (3 * width + 2 * mlpWidth(config)) + 3 * width
  // The tables of angles have a row for every token, of the text and of all pictures.
  return { input: 'cos', bytes: (2 * held * Float32Array.BYTES_PER_ELEMENT) / config.attention_head_dim }
}

/** Attention and feed-forward side by side, from one projection and into one. */
export function singleStreamBlock(
  model: Flux2Model,
  x: Value,
  name: string,
  modulation: Modulation,
  rotary: RotaryValues,
): Value {
  const { g, config } = model
  const width = modelWidth(config)
  const inner = mlpWidth(config)
  const normed = narrow(model, normAndModulate(model, x, modulation))
  const projection = linear(model, normed, `${name}.attn.to_qkv_mlp_proj.weight`, 3 * width + 2 * inner, width)
  const [q, k, v, gate, up] = split(g, projection, [width, width, width, inner, inner] as const)
  const projected = { q, k, v }
  const attended = attend(
    model,
    normalizedProjections(model, name, (part) => projected[part], ''),
    rotary,
  )
  const both = concat(g, [shrink(model, attended), gatedShrunk(model, gate, up)], -1)
  const output = endBlock(model, linear(model, both, `${name}.attn.to_out.weight`, width, width + inner))
  return add(g, x, mul(g, modulation.gate, output))
}

/** Query, key and value rows, the first two normalised per head. */
function normalizedProjections(
  model: Flux2Model,
  name: string,
  project: (part: 'q' | 'k' | 'v') => Value,
  infix: string,
): [Value, Value, Value] {
  const { config } = model
  const normed = (part: 'q' | 'k') =>
    normalizeHeads(model, project(part), `${name}.attn.norm_${infix}${part}.weight`, headsOf(config), config.eps)
  return [normed('q'), normed('k'), project('v')]
}

function attend(model: Flux2Model, [query, key, value]: readonly [Value, Value, Value], rotary: RotaryValues): Value {
  const heads = headsOf(model.config)
  const [q, k] = [query, key].map((rows) => rotateHeads(model, rows, rotary, heads)) as [Value, Value]
  return fullAttention(model, q, k, value, heads)
}

function feedForward(model: Flux2Model, x: Value, name: string): Value {
  const { g, config } = model
  const width = modelWidth(config)
  const inner = mlpWidth(config)
  const both = linear(model, narrow(model, x), `${name}.linear_in.weight`, 2 * inner, width)
  const [gate, up] = split(g, both, [inner, inner] as const)
  return endBlock(model, linear(model, gatedShrunk(model, gate, up), `${name}.linear_out.weight`, width, inner))
}

function headsOf({ num_attention_heads: count, attention_head_dim: size }: Flux2Config): Heads {
  return { count, size }
}

function mlpWidth(config: Flux2Config): number {
  return Math.trunc(modelWidth(config) * config.mlp_ratio)
}
