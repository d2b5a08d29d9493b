import type { WeightIndex } from '../../models/weight-index.ts'
import type { ZImageConfig } from '../../models/z-image-config.ts'
import { type BuiltGraph, withRun } from '../../onnx/built-graph.ts'
import { GraphBuilder, type Value } from '../../onnx/graph-builder.ts'
import { add, silu } from '../../onnx/ops/elementwise.ts'
import { layerNormalization, simplifiedLayerNormalization } from '../../onnx/ops/normalization.ts'
import { concat, countRows, gather, reshape, takeRows } from '../../onnx/ops/shape.ts'
import type { RotaryValues, TransformerOptions } from '../layers/full-attention.ts'
import { affine } from '../layers/linear.ts'
import { narrow, widen } from '../layers/precision.ts'
import { floatWeight } from '../layers/weights.ts'
import { blockMemory, modulationWidth, zImageBlock, type ZImageModel } from './z-image-block.ts'

/** These are fixed in the architecture: width of the sinusoidal features and of the timestep MLP, patch key. */
const TIMESTEP_FEATURES = 256
const TIMESTEP_HIDDEN = 1024
const PATCH_KEY = '2-1'
const FINAL_EPSILON = 1e-6

/**
 * The part of Z-Image's S3-DiT that reads the caption only, so that it runs once per picture and not once per step.
 *
 * Inputs, for L tokens padded to Lp: `caption_features` float32 [L, cap_feat_dim]; `caption_rows` int64 [Lp] names the
 * row of each token, L for the learned padding; `cos`, `sin` float32 [Lp, headSize / 2]. Output: `caption` [Lp, dim].
 *
 * @throws ModelFormatError when a tensor is missing or not of the shape the configuration asks for
 */
export function buildZImageCaption(
  config: ZImageConfig,
  weights: WeightIndex,
  options: TransformerOptions,
): BuiltGraph {
  const model = startModel('z_image_caption', config, weights, options)
  const { g } = model
  const { dim, cap_feat_dim: width, norm_eps: epsilon } = config
  const features = g.input('caption_features', 'float32', ['caption', width])
  const rows = g.input('caption_rows', 'int64', ['padded_caption'])
  const rotary = declareRotary(model, '', 'padded_caption')

  const gain = floatWeight(model, 'cap_embedder.0.weight', [width])
  const normed = simplifiedLayerNormalization(g, features, gain, epsilon)
  let x = padRows(model, affine(model, narrow(model, normed), 'cap_embedder.1', dim, width), 'cap_pad_token', rows)
  for (let i = 0; i < config.n_refiner_layers; i++) {
    x = zImageBlock(model, x, `context_refiner.${i}`, rotary, undefined)
  }
  g.output('caption', x, 'float32', ['padded_caption', dim])
  return g.build(weights.folder)
}

/**
 * The rest of Z-Image's S3-DiT, for one picture and one step.
 *
 * Inputs, for N tokens padded to Np: `tokens` float32 [N, 4 · in_channels]; `token_rows` int64 [Np] names the row of
 * each token, N for the learned padding; `timestep` float32 [1, 256], features of 1000 · (1 - sigma); `caption` as
 * {@link buildZImageCaption} gives it; `cos`, `sin` [Np, headSize / 2] of the picture's and `caption_cos`,
 * `caption_sin` [Lp, headSize / 2] of the caption's tokens. Output: `prediction` [N, 4 · in_channels], the velocity
 * with its sign changed.
 *
 * @throws ModelFormatError when a tensor is missing or not of the shape the configuration asks for
 */
export function buildZImageTransformer(
  config: ZImageConfig,
  weights: WeightIndex,
  options: TransformerOptions,
): BuiltGraph {
  const model = startModel('z_image_transformer', config, weights, options)
  const { g } = model
  const { dim } = config
  const patch = 4 * config.in_channels
  const tokens = g.input('tokens', 'float32', ['tokens', patch])
  const rows = g.input('token_rows', 'int64', ['padded_tokens'])
  const timestep = embedTimestep(model)
  const caption = g.input('caption', 'float32', ['padded_caption', dim])
  const picture = declareRotary(model, '', 'padded_tokens')
  const captionRotary = declareRotary(model, 'caption_', 'padded_caption')

  const embedded = affine(model, narrow(model, tokens), `all_x_embedder.${PATCH_KEY}`, dim, patch)
  let x = padRows(model, embedded, 'x_pad_token', rows)
  for (let i = 0; i < config.n_refiner_layers; i++) {
    x = zImageBlock(model, x, `noise_refiner.${i}`, picture, timestep)
  }
  x = concat(g, [x, caption], 0)
  const joint = {
    cos: concat(g, [picture.cos, captionRotary.cos], 0),
    sin: concat(g, [picture.sin, captionRotary.sin], 0),
  }
  for (let i = 0; i < config.n_layers; i++) x = zImageBlock(model, x, `layers.${i}`, joint, timestep)
  // After the last attention no row sees another, so only the picture's go on.
  const last = finalLayer(model, takeRows(g, x, countRows(g, tokens)), timestep, patch)
  g.output('prediction', last, 'float32', ['tokens', patch])
  return withRun(g.build(weights.folder), { input: 'tokens', bytes: blockMemory(config) / patch })
}

function startModel(
  name: string,
  config: ZImageConfig,
  weights: WeightIndex,
  options: TransformerOptions,
): ZImageModel {
  const { linear, attention = 'fused', precision = 'float32' } = options
  const { quantization_config: quantization } = config
  return { g: new GraphBuilder(name), config, weights, quantization, linear, attention, precision }
}

function declareRotary(model: ZImageModel, prefix: string, rows: string): RotaryValues {
  const { g, config } = model
  const dims = [rows, config.dim / config.n_heads / 2]
  const table = (part: string) => narrow(model, g.input(`${prefix}${part}`, 'float32', dims))
  return { cos: table('cos'), sin: table('sin') }
}

/** Embedded rows x [n, dim] as float32 in the order of `rows`, where row n is the learned token of that name. */
function padRows(model: ZImageModel, x: Value, name: string, rows: Value): Value {
  const padding = floatWeight(model, name, [1, model.config.dim])
  return gather(model.g, concat(model.g, [widen(model, x), padding], 0), rows)
}

/** [1, modulationWidth] in the model's precision */
function embedTimestep(model: ZImageModel): Value {
  const { g, config } = model
  const features = narrow(model, g.input('timestep', 'float32', [1, TIMESTEP_FEATURES]))
  const hidden = silu(g, affine(model, features, 't_embedder.mlp.0', TIMESTEP_HIDDEN, TIMESTEP_FEATURES))
  return affine(model, hidden, 't_embedder.mlp.2', modulationWidth(config), TIMESTEP_HIDDEN)
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
