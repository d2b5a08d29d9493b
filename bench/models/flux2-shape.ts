import type { RandomModel } from './random-checkpoint.ts'

const HEAD = 128
const CHANNELS = 128

/**
 * FLUX.2 transformers with blocks of 1,152 instead of klein's 3,072 channels, and 1 double and 3 single blocks instead of
 * 5 and 20: large enough for every operator to run as it does in the real model.
 */
export const FLUX2_MID: RandomModel = flux2('flux2-mid', { heads: 9, double: 1, single: 3, text: 1536 })
/** The same network at a size that a device in software can compute. */
export const FLUX2_SMALL: RandomModel = flux2('flux2-small', { heads: 2, double: 1, single: 1, text: 256 })

export interface Flux2Size {
  readonly heads: number
  /** Blocks with text and picture apart, and with both in one. */
  readonly double: number
  readonly single: number
  readonly text: number
}

/** A FLUX.2 transformer; that of klein 4B has 24 heads, 5 double and 20 single blocks and text of 7,680 channels. */
export function flux2(name: string, size: Flux2Size): RandomModel {
  return {
    name,
    config: {
      _class_name: 'Flux2Transformer2DModel',
      patch_size: 1,
      in_channels: CHANNELS,
      num_layers: size.double,
      num_single_layers: size.single,
      attention_head_dim: HEAD,
      num_attention_heads: size.heads,
      joint_attention_dim: size.text,
      timestep_guidance_channels: 256,
      mlp_ratio: 3,
      axes_dims_rope: [32, 32, 32, 32],
      rope_theta: 2000,
      eps: 1e-6,
      guidance_embeds: false,
    },
    shapes: listShapes(size),
  }
}

function listShapes({ heads, double, single, text }: Flux2Size): Record<string, number[]> {
  const width = heads * HEAD
  const inner = 3 * width
  const square = (parts: readonly string[]) => attention(parts, [width, width])
  const gains = (parts: readonly string[]) => attention(parts, [HEAD])
  const blocks = Array.from({ length: single }, (_, i) =>
    under(`single_transformer_blocks.${i}`, {
      'attn.to_qkv_mlp_proj': [3 * width + 2 * inner, width],
      'attn.to_out': [width, width + inner],
      ...gains(['norm_q', 'norm_k']),
    }),
  )
  const doubles = Array.from({ length: double }, (_, i) =>
    under(`transformer_blocks.${i}`, {
      ...square(['add_q_proj', 'add_k_proj', 'add_v_proj', 'to_add_out', 'to_q', 'to_k', 'to_v', 'to_out.0']),
      ...gains(['norm_q', 'norm_k', 'norm_added_q', 'norm_added_k']),
      'ff.linear_in': [2 * inner, width],
      'ff.linear_out': [width, inner],
      'ff_context.linear_in': [2 * inner, width],
      'ff_context.linear_out': [width, inner],
    }),
  )
  return weights({
    context_embedder: [width, text],
    x_embedder: [width, CHANNELS],
    'time_guidance_embed.timestep_embedder.linear_1': [width, 256],
    'time_guidance_embed.timestep_embedder.linear_2': [width, width],
    'double_stream_modulation_img.linear': [6 * width, width],
    'double_stream_modulation_txt.linear': [6 * width, width],
    'single_stream_modulation.linear': [3 * width, width],
    'norm_out.linear': [2 * width, width],
    proj_out: [CHANNELS, width],
    ...(Object.assign({}, ...doubles, ...blocks) as Record<string, number[]>),
  })
}

function attention(parts: readonly string[], shape: number[]): Record<string, number[]> {
  return Object.fromEntries(parts.map((part) => [`attn.${part}`, shape]))
}

function under(prefix: string, parts: Record<string, number[]>): Record<string, number[]> {
  return Object.fromEntries(Object.entries(parts).map(([name, shape]) => [`${prefix}.${name}`, shape]))
}

function weights(parts: Record<string, number[]>): Record<string, number[]> {
  return Object.fromEntries(Object.entries(parts).map(([name, shape]) => [`${name}.weight`, shape]))
}
