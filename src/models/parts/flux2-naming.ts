import { splitInThree, type Target } from './tensor-naming.ts'

const OUTER: Readonly<Record<string, string>> = {
  img_in: 'x_embedder',
  txt_in: 'context_embedder',
  'time_in.in_layer': 'time_guidance_embed.timestep_embedder.linear_1',
  'time_in.out_layer': 'time_guidance_embed.timestep_embedder.linear_2',
  'guidance_in.in_layer': 'time_guidance_embed.guidance_embedder.linear_1',
  'guidance_in.out_layer': 'time_guidance_embed.guidance_embedder.linear_2',
  'double_stream_modulation_img.lin': 'double_stream_modulation_img.linear',
  'double_stream_modulation_txt.lin': 'double_stream_modulation_txt.linear',
  'single_stream_modulation.lin': 'single_stream_modulation.linear',
  'final_layer.linear': 'proj_out',
}
const DOUBLE: Readonly<Record<string, string>> = {
  'img_attn.norm.query_norm': 'attn.norm_q',
  'img_attn.norm.key_norm': 'attn.norm_k',
  'img_attn.to_q': 'attn.to_q',
  'img_attn.to_k': 'attn.to_k',
  'img_attn.to_v': 'attn.to_v',
  'img_attn.proj': 'attn.to_out.0',
  'img_mlp.0': 'ff.linear_in',
  'img_mlp.2': 'ff.linear_out',
  'txt_attn.norm.query_norm': 'attn.norm_added_q',
  'txt_attn.norm.key_norm': 'attn.norm_added_k',
  'txt_attn.to_q': 'attn.add_q_proj',
  'txt_attn.to_k': 'attn.add_k_proj',
  'txt_attn.to_v': 'attn.add_v_proj',
  'txt_attn.proj': 'attn.to_add_out',
  'txt_mlp.0': 'ff_context.linear_in',
  'txt_mlp.2': 'ff_context.linear_out',
}
const SINGLE: Readonly<Record<string, string>> = {
  linear1: 'attn.to_qkv_mlp_proj',
  linear2: 'attn.to_out',
  'norm.query_norm': 'attn.norm_q',
  'norm.key_norm': 'attn.norm_k',
}
const BLOCKS: Readonly<Record<string, readonly [names: Readonly<Record<string, string>>, folder: string]>> = {
  double: [DOUBLE, 'transformer_blocks'],
  single: [SINGLE, 'single_transformer_blocks'],
}
const FUSED: Readonly<Record<string, readonly [string, string, string]>> = {
  'img_attn.qkv': ['attn.to_q', 'attn.to_k', 'attn.to_v'],
  'txt_attn.qkv': ['attn.add_q_proj', 'attn.add_k_proj', 'attn.add_v_proj'],
}

/** Names of a FLUX.2 transformer, with queries, keys and values of the first blocks fused or not. */
export function nameFlux2(stored: string): readonly Target[] {
  const [, blocks, index, stem, ending] =
    /^(?:(double|single)_blocks\.(\d+)\.)?(.+)\.(weight|scale|bias)$/.exec(stored) ?? []
  if (stem === undefined) return [{ name: stored }]
  // Weights of norms are called scales by the authors.
  const kind = ending === 'scale' && stem.endsWith('_norm') ? 'weight' : ending
  if (blocks === undefined) return [nameOuter(stem, kind!, stored)]
  const [names, folder] = BLOCKS[blocks]!
  const prefix = `${folder}.${index}`
  const fused = blocks === 'double' ? FUSED[stem] : undefined
  if (fused !== undefined) {
    const [q, k, v] = fused
    return splitInThree([`${prefix}.${q}.${kind}`, `${prefix}.${k}.${kind}`, `${prefix}.${v}.${kind}`])
  }
  const name = names[stem]
  return [{ name: name === undefined ? stored : `${prefix}.${name}.${kind}` }]
}

function nameOuter(stem: string, kind: string, stored: string): Target {
  // The authors shift before they scale, diffusers has the scale first.
  if (stem === 'final_layer.adaLN_modulation.1') {
    return {
      name: `norm_out.linear.${kind}`,
      pieces: [
        [1, 2],
        [0, 2],
      ],
    }
  }
  const name = OUTER[stem]
  return { name: name === undefined ? stored : `${name}.${kind}` }
}
