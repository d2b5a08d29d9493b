import type { RandomModel } from './random-checkpoint.ts'

const HEAD = 128
const HEADS = 9
const WIDTH = HEADS * HEAD
const MLP = 3 * WIDTH
/** Half of what klein's text encoder gives. */
const TEXT = 1536
const CHANNELS = 128

/**
 * FLUX.2 transformers with blocks of 1,152 instead of klein's 3,072 channels, and 1 double and 3 single blocks instead of 5 and 20:
 * large enough for every operator to run as it does in the real model.
 */
export const FLUX2_MID: RandomModel = {
  name: 'flux2-mid',
  config: {
    _class_name: 'Flux2Transformer2DModel', patch_size: 1, in_channels: CHANNELS, num_layers: 1, num_single_layers: 3,
    attention_head_dim: HEAD, num_attention_heads: HEADS, joint_attention_dim: TEXT, timestep_guidance_channels: 256,
    mlp_ratio: 3, axes_dims_rope: [32, 32, 32, 32], rope_theta: 2000, eps: 1e-6, guidance_embeds: false,
  },
  shapes: weights({
    context_embedder: [WIDTH, TEXT],
    x_embedder: [WIDTH, CHANNELS],
    'time_guidance_embed.timestep_embedder.linear_1': [WIDTH, 256],
    'time_guidance_embed.timestep_embedder.linear_2': [WIDTH, WIDTH],
    'double_stream_modulation_img.linear': [6 * WIDTH, WIDTH],
    'double_stream_modulation_txt.linear': [6 * WIDTH, WIDTH],
    'single_stream_modulation.linear': [3 * WIDTH, WIDTH],
    'norm_out.linear': [2 * WIDTH, WIDTH],
    proj_out: [CHANNELS, WIDTH],
    ...under('transformer_blocks.0', {
      ...square(['add_q_proj', 'add_k_proj', 'add_v_proj', 'to_add_out', 'to_q', 'to_k', 'to_v', 'to_out.0']),
      ...gains(['norm_q', 'norm_k', 'norm_added_q', 'norm_added_k']),
      'ff.linear_in': [2 * MLP, WIDTH], 'ff.linear_out': [WIDTH, MLP],
      'ff_context.linear_in': [2 * MLP, WIDTH], 'ff_context.linear_out': [WIDTH, MLP],
    }),
    ...[0, 1, 2].map((i) => under(`single_transformer_blocks.${i}`, {
      'attn.to_qkv_mlp_proj': [3 * WIDTH + 2 * MLP, WIDTH], 'attn.to_out': [WIDTH, WIDTH + MLP], ...gains(['norm_q', 'norm_k']),
    })).reduce((all, block) => ({ ...all, ...block }), {}),
  }),
}

function square(parts: readonly string[]): Record<string, number[]> {
  return Object.fromEntries(parts.map((part) => [`attn.${part}`, [WIDTH, WIDTH]]))
}

function gains(parts: readonly string[]): Record<string, number[]> {
  return Object.fromEntries(parts.map((part) => [`attn.${part}`, [HEAD]]))
}

function under(prefix: string, parts: Record<string, number[]>): Record<string, number[]> {
  return Object.fromEntries(Object.entries(parts).map(([name, shape]) => [`${prefix}.${name}`, shape]))
}

function weights(parts: Record<string, number[]>): Record<string, number[]> {
  return Object.fromEntries(Object.entries(parts).map(([name, shape]) => [`${name}.weight`, shape]))
}
