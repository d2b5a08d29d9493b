import type { ZImageConfig } from '../../models/configs/z-image-config.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import { type BuiltGraph, withRun } from '../../onnx/built-graph.ts'
import { simplifiedLayerNormalization } from '../../onnx/ops/normalization.ts'
import { countRows } from '../../onnx/ops/shape.ts'
import { affine } from '../layers/linear.ts'
import { narrow } from '../layers/precision.ts'
import { startGraph, type TransformerOptions } from '../layers/start-graph.ts'
import { floatWeight } from '../layers/weights.ts'
import { blockMemory, zImageBlock } from './z-image-block.ts'
import {
  declareRotary,
  embedTimestep,
  embedTokens,
  joinRotary,
  padRows,
  predict,
  refineNoise,
} from './z-image-parts.ts'

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
  const model = startGraph('z_image_caption', config, weights, options)
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
  const model = startGraph('z_image_transformer', config, weights, options)
  const { g } = model
  const tokens = embedTokens(model)
  const timestep = embedTimestep(model)
  const caption = g.input('caption', 'float32', ['padded_caption', config.dim])
  const picture = declareRotary(model, '', 'padded_tokens')
  const rotary = joinRotary(model, picture, declareRotary(model, 'caption_', 'padded_caption'))
  const refined = refineNoise(model, tokens.rows, picture, timestep)
  const rows = { picture: refined, caption, rotary, timestep }
  g.output('prediction', predict(model, rows, countRows(g, tokens.tokens)), 'float32', [
    'tokens',
    4 * config.in_channels,
  ])
  return withRun(g.build(weights.folder), { input: 'tokens', bytes: blockMemory(config) / (4 * config.in_channels) })
}
