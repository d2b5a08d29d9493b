import type { ZImageConfig } from '../../models/configs/z-image-config.ts'
import type { Value } from '../../onnx/graph-builder.ts'
import { add, silu } from '../../onnx/ops/elementwise.ts'
import { layerNormalization } from '../../onnx/ops/normalization.ts'
import { concat, gather, reshape, takeRows } from '../../onnx/ops/shape.ts'
import type { RotaryValues } from '../layers/full-attention.ts'
import { affine } from '../layers/linear.ts'
import { narrow, widen } from '../layers/precision.ts'
import { floatWeight } from '../layers/weights.ts'
import { modulationWidth, zImageBlock, type ZImageBlockModel } from './z-image-block.ts'

/** These are fixed in the architecture: width of the sinusoidal features and of the timestep MLP, patch key. */
const TIMESTEP_FEATURES = 256
const TIMESTEP_HIDDEN = 1024
export const PATCH_KEY = '2-1'
const FINAL_EPSILON = 1e-6

export interface ZImageModel extends ZImageBlockModel {
  readonly config: ZImageConfig
}

/** What a ControlNet adds after some of the blocks: [places, rows or 1, dim], and after which of them. */
export interface Hints {
  readonly values: Value
  readonly places: readonly number[]
}

/** The input `time`, what {@link embedTimestep} makes in another graph. */
export function declareTime(model: ZImageBlockModel): Value {
  return narrow(model, model.g.input('time', 'float32', [1, modulationWidth(model.config)]))
}

export function declareRotary(model: ZImageBlockModel, prefix: string, rows: string): RotaryValues {
  const { g, config } = model
  const dims = [rows, config.dim / config.n_heads / 2]
  const table = (part: string) => narrow(model, g.input(`${prefix}${part}`, 'float32', dims))
  return { cos: table('cos'), sin: table('sin') }
}

/** Tables of the rows of both, one after the other. */
export function joinRotary({ g }: ZImageBlockModel, picture: RotaryValues, caption: RotaryValues): RotaryValues {
  return { cos: concat(g, [picture.cos, caption.cos], 0), sin: concat(g, [picture.sin, caption.sin], 0) }
}

/** Embedded rows x [n, dim] as float32 in the order of `rows`, where row n is the learned token of that name. */
export function padRows(model: ZImageModel, x: Value, name: string, rows: Value): Value {
  const padding = floatWeight(model, name, [1, model.config.dim])
  return gather(model.g, concat(model.g, [widen(model, x), padding], 0), rows)
}

/** The inputs `tokens` [N, 4 · in_channels] and `token_rows`, and their rows [Np, dim]. */
export function embedTokens(model: ZImageModel): { readonly tokens: Value; readonly rows: Value } {
  const { g, config } = model
  const patch = 4 * config.in_channels
  const tokens = g.input('tokens', 'float32', ['tokens', patch])
  const places = g.input('token_rows', 'int64', ['padded_tokens'])
  const embedded = affine(model, narrow(model, tokens), `all_x_embedder.${PATCH_KEY}`, config.dim, patch)
  return { tokens, rows: padRows(model, embedded, 'x_pad_token', places) }
}

/** The input `timestep` as an embedding [1, modulationWidth] in the model's precision. */
export function embedTimestep(model: ZImageModel): Value {
  const { g, config } = model
  const features = narrow(model, g.input('timestep', 'float32', [1, TIMESTEP_FEATURES]))
  const hidden = silu(g, affine(model, features, 't_embedder.mlp.0', TIMESTEP_HIDDEN, TIMESTEP_FEATURES))
  return affine(model, hidden, 't_embedder.mlp.2', modulationWidth(config), TIMESTEP_HIDDEN)
}

/** The blocks that see the noisy picture alone: x [Np, dim]. */
export function refineNoise(model: ZImageModel, x: Value, rotary: RotaryValues, timestep: Value, hints?: Hints): Value {
  return runBlocks(model, x, { stem: 'noise_refiner', count: model.config.n_refiner_layers, rotary, timestep, hints })
}

export interface JointRows {
  /** [Np, dim] */
  readonly picture: Value
  /** [Lp, dim] */
  readonly caption: Value
  /** Of the rows of both. */
  readonly rotary: RotaryValues
  readonly timestep: Value
  readonly hints?: Hints | undefined
}

/** The blocks that see picture and caption, and the prediction [count, 4 · in_channels] for the first rows of the picture. */
export function predict(model: ZImageModel, rows: JointRows, count: Value): Value {
  const { g, config } = model
  const { picture, caption, rotary, timestep, hints } = rows
  const blocks = { stem: 'layers', count: config.n_layers, rotary, timestep, hints }
  const x = runBlocks(model, concat(g, [picture, caption], 0), blocks)
  // After the last attention no row sees another, so only the picture's go on.
  return finalLayer(model, takeRows(g, x, count), timestep, 4 * config.in_channels)
}

interface Blocks {
  /** Before the numbers of their names. */
  readonly stem: string
  readonly count: number
  readonly rotary: RotaryValues
  readonly timestep: Value
  readonly hints: Hints | undefined
}

function runBlocks(model: ZImageModel, x: Value, { stem, count, rotary, timestep, hints }: Blocks): Value {
  const { g } = model
  let rows = x
  for (let i = 0; i < count; i++) {
    rows = zImageBlock(model, rows, `${stem}.${i}`, rotary, timestep)
    const hint = hints?.places.indexOf(i) ?? -1
    if (hints && hint >= 0) rows = add(g, rows, gather(g, hints.values, g.scalar(hint, 'int64')))
  }
  return rows
}

function finalLayer(model: ZImageModel, x: Value, timestep: Value, patch: number): Value {
  const { g, config } = model
  const { dim } = config
  const name = `all_final_layer.${PATCH_KEY}`
  const scale = affine(model, silu(g, timestep), `${name}.adaLN_modulation.1`, dim, modulationWidth(config))
  const factor = add(g, g.scalar(1, 'float32'), reshape(g, widen(model, scale), [-1]))
  const scaled = layerNormalization(g, x, factor, undefined, FINAL_EPSILON)
  return widen(model, affine(model, narrow(model, scaled), `${name}.linear`, patch, dim))
}
