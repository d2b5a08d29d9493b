import type { RandomModel } from './random-checkpoint.ts'
import type { Shapes } from './write-random-weights.ts'

const HEAD = 128
const HEADS = 9
const WIDTH = HEADS * HEAD
const MLP = (WIDTH / 3) * 8
const TEXT = 2560
const PATCH = 64
const TIME = 256
const LAYERS = 3

/**
 * Z-Image transformers with blocks of 1,152 instead of 3,840 channels, and 3 layers and 1 refiner instead of 30 and 2:
 * large enough for every operator to run as it does in the real model.
 */
export const Z_IMAGE_MID: RandomModel = {
  name: 'z-image-mid',
  config: {
    _class_name: 'ZImageTransformer2DModel',
    all_patch_size: [2],
    all_f_patch_size: [1],
    in_channels: PATCH / 4,
    dim: WIDTH,
    n_layers: LAYERS,
    n_refiner_layers: 1,
    n_heads: HEADS,
    n_kv_heads: HEADS,
    norm_eps: 1e-5,
    qk_norm: true,
    cap_feat_dim: TEXT,
    siglip_feat_dim: null,
    rope_theta: 256,
    t_scale: 1000,
    axes_dims: [32, 48, 48],
    axes_lens: [1536, 512, 512],
  },
  shapes: {
    x_pad_token: [1, WIDTH],
    cap_pad_token: [1, WIDTH],
    'cap_embedder.0.weight': [TEXT],
    ...affine('cap_embedder.1', WIDTH, TEXT),
    ...affine('t_embedder.mlp.0', 1024, TIME),
    ...affine('t_embedder.mlp.2', TIME, 1024),
    ...affine('all_x_embedder.2-1', WIDTH, PATCH),
    ...affine('all_final_layer.2-1.adaLN_modulation.1', WIDTH, TIME),
    ...affine('all_final_layer.2-1.linear', PATCH, WIDTH),
    ...block('context_refiner.0'),
    ...modulated('noise_refiner.0'),
    ...(Object.assign({}, ...Array.from({ length: LAYERS }, (_, i) => modulated(`layers.${i}`))) as Shapes),
  },
}

function modulated(name: string): Record<string, number[]> {
  return { ...block(name), ...affine(`${name}.adaLN_modulation.0`, 4 * WIDTH, TIME) }
}

function block(name: string): Record<string, number[]> {
  const parts: Record<string, number[]> = {
    'feed_forward.w1': [MLP, WIDTH],
    'feed_forward.w2': [WIDTH, MLP],
    'feed_forward.w3': [MLP, WIDTH],
    'attention.norm_q': [HEAD],
    'attention.norm_k': [HEAD],
  }
  for (const part of ['to_q', 'to_k', 'to_v', 'to_out.0']) parts[`attention.${part}`] = [WIDTH, WIDTH]
  for (const part of ['attention_norm1', 'attention_norm2', 'ffn_norm1', 'ffn_norm2']) parts[part] = [WIDTH]
  return Object.fromEntries(Object.entries(parts).map(([part, shape]) => [`${name}.${part}.weight`, shape]))
}

function affine(name: string, outputs: number, inputs: number): Record<string, number[]> {
  return { [`${name}.weight`]: [outputs, inputs], [`${name}.bias`]: [outputs] }
}
