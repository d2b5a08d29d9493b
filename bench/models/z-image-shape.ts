import type { RandomModel } from './random-checkpoint.ts'
import type { Shapes } from './write-random-weights.ts'

const HEAD = 128
const PATCH = 64
const TIME = 256

export interface ZImageSize {
  /** Of 128 channels each. */
  readonly heads: number
  readonly layers: number
  readonly refiners: number
  /** Channels of the text encoder. */
  readonly text: number
}

/**
 * Z-Image transformers with blocks of 1,152 instead of 3,840 channels, and 3 layers and 1 refiner instead of 30 and 2:
 * large enough for every operator to run as it does in the real model.
 */
export const Z_IMAGE_MID: RandomModel = zImage('z-image-mid', { heads: 9, layers: 3, refiners: 1, text: 2560 })

/** A Z-Image transformer; the published one has 30 heads, 30 layers, 2 refiners and text of 2,560 channels. */
export function zImage(name: string, { heads, layers, refiners, text }: ZImageSize): RandomModel {
  const width = heads * HEAD
  const repeat = (count: number, make: (index: number) => Shapes) =>
    Object.assign({}, ...Array.from({ length: count }, (_, index) => make(index))) as Shapes
  return {
    name,
    config: {
      _class_name: 'ZImageTransformer2DModel',
      all_patch_size: [2],
      all_f_patch_size: [1],
      in_channels: PATCH / 4,
      dim: width,
      n_layers: layers,
      n_refiner_layers: refiners,
      n_heads: heads,
      n_kv_heads: heads,
      norm_eps: 1e-5,
      qk_norm: true,
      cap_feat_dim: text,
      siglip_feat_dim: null,
      rope_theta: 256,
      t_scale: 1000,
      axes_dims: [32, 48, 48],
      axes_lens: [1536, 512, 512],
    },
    shapes: {
      x_pad_token: [1, width],
      cap_pad_token: [1, width],
      'cap_embedder.0.weight': [text],
      ...affine('cap_embedder.1', width, text),
      ...affine('t_embedder.mlp.0', 1024, TIME),
      ...affine('t_embedder.mlp.2', TIME, 1024),
      ...affine('all_x_embedder.2-1', width, PATCH),
      ...affine('all_final_layer.2-1.adaLN_modulation.1', width, TIME),
      ...affine('all_final_layer.2-1.linear', PATCH, width),
      ...repeat(refiners, (index) => block(`context_refiner.${index}`, width)),
      ...repeat(refiners, (index) => modulated(`noise_refiner.${index}`, width)),
      ...repeat(layers, (index) => modulated(`layers.${index}`, width)),
    },
  }
}

export function modulated(name: string, width: number): Record<string, number[]> {
  return { ...block(name, width), ...affine(`${name}.adaLN_modulation.0`, 4 * width, TIME) }
}

function block(name: string, width: number): Record<string, number[]> {
  const inner = (width / 3) * 8
  const parts: Record<string, number[]> = {
    'feed_forward.w1': [inner, width],
    'feed_forward.w2': [width, inner],
    'feed_forward.w3': [inner, width],
    'attention.norm_q': [HEAD],
    'attention.norm_k': [HEAD],
  }
  for (const part of ['to_q', 'to_k', 'to_v', 'to_out.0']) parts[`attention.${part}`] = [width, width]
  for (const part of ['attention_norm1', 'attention_norm2', 'ffn_norm1', 'ffn_norm2']) parts[part] = [width]
  return Object.fromEntries(Object.entries(parts).map(([part, shape]) => [`${name}.${part}.weight`, shape]))
}

export function affine(name: string, outputs: number, inputs: number): Record<string, number[]> {
  return { [`${name}.weight`]: [outputs, inputs], [`${name}.bias`]: [outputs] }
}
