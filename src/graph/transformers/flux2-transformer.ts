import type { Flux2Config } from '../../models/configs/flux2-config.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import { type BuiltGraph, withRun } from '../../onnx/built-graph.ts'
import type { Value } from '../../onnx/graph-builder.ts'
import { silu } from '../../onnx/ops/elementwise.ts'
import { concat, countRows, dropRows, reshape, split } from '../../onnx/ops/shape.ts'
import { linear } from '../layers/linear.ts'
import { narrow, widen } from '../layers/precision.ts'
import { startGraph, type TransformerOptions } from '../layers/start-graph.ts'
import {
  describeRun,
  doubleStreamBlock,
  modelWidth,
  normAndModulate,
  singleStreamBlock,
  type Flux2Model,
  type Modulation,
  type Streams,
} from './flux2-block.ts'

/**
 * The FLUX.2 transformer, for one picture and one step.
 *
 * Inputs, for T rows of text and S image tokens (those of the picture first, then those of its references): `tokens`
 * float32 [S, in_channels]; `text` float32 [T, joint_attention_dim]; `timestep` float32 [1, 256], features of
 * 1000 · sigma; `cos`, `sin` float32 [T + S, headSize / 2]. Output: `velocity` [S, in_channels].
 *
 * @throws ModelFormatError when a tensor is missing or not of the shape the configuration asks for
 */
export function buildFlux2Transformer(
  config: Flux2Config,
  weights: WeightIndex,
  options: TransformerOptions,
): BuiltGraph {
  const model: Flux2Model = startGraph('flux2_transformer', config, weights, options)
  const { g } = model
  const width = modelWidth(config)
  const { in_channels: channels, joint_attention_dim: textWidth, timestep_guidance_channels: features } = config
  const tokens = g.input('tokens', 'float32', ['image', channels])
  const textFeatures = g.input('text', 'float32', ['text', textWidth])
  const timestep = g.input('timestep', 'float32', [1, features])
  const dims = ['joint', config.attention_head_dim / 2]
  const table = (name: string) => narrow(model, g.input(name, 'float32', dims))
  const rotary = { cos: table('cos'), sin: table('sin') }

  const time = silu(g, embedTimestep(model, narrow(model, timestep), width))
  const modulations = {
    text: modulate(model, time, 'double_stream_modulation_txt', ['attention', 'mlp']),
    image: modulate(model, time, 'double_stream_modulation_img', ['attention', 'mlp']),
  }
  const { both } = modulate(model, time, 'single_stream_modulation', ['both'])
  let streams: Streams = {
    text: widen(model, linear(model, narrow(model, textFeatures), 'context_embedder.weight', width, textWidth)),
    image: widen(model, linear(model, narrow(model, tokens), 'x_embedder.weight', width, channels)),
  }
  for (let i = 0; i < config.num_layers; i++) {
    streams = doubleStreamBlock(model, streams, `transformer_blocks.${i}`, modulations, rotary)
  }
  let x = concat(g, [streams.text, streams.image], 0)
  for (let i = 0; i < config.num_single_layers; i++) {
    x = singleStreamBlock(model, x, `single_transformer_blocks.${i}`, both, rotary)
  }
  const image = dropRows(g, x, countRows(g, textFeatures))
  const factors = widen(model, linear(model, time, 'norm_out.linear.weight', 2 * width, width))
  const [scale, shift] = split(g, reshape(g, factors, [-1]), [width, width] as const)
  const normed = narrow(model, normAndModulate(model, image, { shift, scale }))
  const velocity = widen(model, linear(model, normed, 'proj_out.weight', channels, width))
  g.output('velocity', velocity, 'float32', ['image', channels])
  return withRun(g.build(weights.folder), describeRun(config))
}

function embedTimestep(model: Flux2Model, features: Value, width: number): Value {
  const name = 'time_guidance_embed.timestep_embedder'
  const { timestep_guidance_channels: channels } = model.config
  const hidden = linear(model, features, `${name}.linear_1.weight`, width, channels)
  return linear(model, silu(model.g, hidden), `${name}.linear_2.weight`, width, width)
}

/** One modulation for each named part of a block. All blocks of a kind share them. */
function modulate<Part extends string>(
  model: Flux2Model,
  time: Value,
  name: string,
  parts: readonly Part[],
): Record<Part, Modulation> {
  const width = modelWidth(model.config)
  const { g } = model
  const all = widen(model, linear(model, time, `${name}.linear.weight`, 3 * parts.length * width, width))
  const pieces: Value[] = split(g, reshape(g, all, [-1]), Array<number>(3 * parts.length).fill(width))
  const entries = parts.map((part, i) => {
    const [shift, scale, gate] = pieces.slice(3 * i, 3 * i + 3) as [Value, Value, Value]
    return [part, { shift, scale, gate }]
  })
  return Object.fromEntries(entries) as Record<Part, Modulation>
}
