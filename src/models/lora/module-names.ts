import type { WeightIndex } from '../weights/weight-index.ts'

/** A matrix of a checkpoint that a module of an adapter changes: all of it, by some of the rows that the module makes. */
export interface Slot {
  /** Name of the tensor. */
  readonly tensor: string
  /** Which of so many equal parts of the rows. */
  readonly part: number
  readonly parts: number
}

/** What trainers write in front of the names of modules. */
const PREFIXES = [
  'base_model.model.',
  'transformer.',
  'unet.',
  'diffusion_model.',
  'model.diffusion_model.',
  'lora_unet_',
  'lora_transformer_',
  'lycoris_',
]

/** Modules of the original code of FLUX.2 by what diffusers calls them; those of its blocks follow. */
const FLUX2_NAMES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^x_embedder$/, ['img_in']],
  [/^context_embedder$/, ['txt_in']],
  [/^time_guidance_embed\.timestep_embedder\.linear_1$/, ['time_in.in_layer']],
  [/^time_guidance_embed\.timestep_embedder\.linear_2$/, ['time_in.out_layer']],
  [/^proj_out$/, ['final_layer.linear']],
  [/^(single_stream_modulation|double_stream_modulation_(?:img|txt))\.linear$/, ['$1.lin']],
  [/^single_transformer_blocks\.(\d+)\.attn\.to_qkv_mlp_proj$/, ['single_blocks.$1.linear1']],
  [/^single_transformer_blocks\.(\d+)\.attn\.to_out$/, ['single_blocks.$1.linear2']],
  [/^transformer_blocks\.(\d+)\.attn\.to_out\.0$/, ['double_blocks.$1.img_attn.proj']],
  [/^transformer_blocks\.(\d+)\.attn\.to_add_out$/, ['double_blocks.$1.txt_attn.proj']],
  [/^transformer_blocks\.(\d+)\.ff\.linear_in$/, ['double_blocks.$1.img_mlp.0']],
  [/^transformer_blocks\.(\d+)\.ff\.linear_out$/, ['double_blocks.$1.img_mlp.2']],
  [/^transformer_blocks\.(\d+)\.ff_context\.linear_in$/, ['double_blocks.$1.txt_mlp.0']],
  [/^transformer_blocks\.(\d+)\.ff_context\.linear_out$/, ['double_blocks.$1.txt_mlp.2']],
]

/** The same of Z-Image, whose embedder and last layer diffusers has for several sizes of patches. */
const Z_IMAGE_NAMES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^all_x_embedder\.2-1$/, ['x_embedder']],
  [/^all_final_layer\.2-1\.(.+)$/, ['final_layer.$1']],
  [/^(.+\.attention)\.to_out\.0$/, ['$1.out']],
]

/** Query, key and value that stand below each other in one matrix of the original code. */
const FUSED: readonly (readonly [RegExp, readonly [string, string, string], string])[] = [
  [/^transformer_blocks\.(\d+)\.attn\.to_q$/, ['to_q', 'to_k', 'to_v'], 'double_blocks.$1.img_attn.qkv'],
  [
    /^transformer_blocks\.(\d+)\.attn\.add_q_proj$/,
    ['add_q_proj', 'add_k_proj', 'add_v_proj'],
    'double_blocks.$1.txt_attn.qkv',
  ],
  [/^((?:layers|noise_refiner|context_refiner)\.\d+)\.attention\.to_q$/, ['to_q', 'to_k', 'to_v'], '$1.attention.qkv'],
]

/** Finds the matrices of a checkpoint by the name of a module in an adapter, in any of the usual spellings. */
export function nameModules(weights: WeightIndex): (module: string) => readonly Slot[] | undefined {
  const slots = new Map<string, readonly Slot[]>()
  const add = (name: string, found: readonly Slot[]) => {
    for (const key of [name, name.replaceAll('.', '_')]) if (!slots.has(key)) slots.set(key, found)
  }
  const modules = weights.names.flatMap((name) => (name.endsWith('.weight') ? [name.slice(0, -'.weight'.length)] : []))
  for (const module of modules) add(module, [{ tensor: `${module}.weight`, part: 0, parts: 1 }])
  for (const module of modules) {
    const whole = [{ tensor: `${module}.weight`, part: 0, parts: 1 }]
    // A language model saved without its head has no `model.` in front, and adapters of either are for both.
    add(module.startsWith('model.') ? module.slice('model.'.length) : `model.${module}`, whole)
    for (const [pattern, names] of [...FLUX2_NAMES, ...Z_IMAGE_NAMES]) {
      if (pattern.test(module)) for (const name of names) add(module.replace(pattern, name), whole)
    }
    if (module.endsWith('.to_out.0')) add(module.slice(0, -'.0'.length), whole)
    for (const [pattern, parts, name] of FUSED) {
      if (!pattern.test(module)) continue
      const stem = module.slice(0, module.lastIndexOf('.'))
      const all = parts.map((part, index) => ({ tensor: `${stem}.${part}.weight`, part: index, parts: parts.length }))
      add(module.replace(pattern, name), all)
    }
  }
  return (module) => {
    const known = slots.get(module)
    if (known !== undefined) return known
    const prefix = PREFIXES.find((prefix) => module.startsWith(prefix) && slots.has(module.slice(prefix.length)))
    return prefix === undefined ? undefined : slots.get(module.slice(prefix.length))
  }
}
