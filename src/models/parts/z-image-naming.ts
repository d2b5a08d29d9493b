import { splitInThree, type Target } from './tensor-naming.ts'

/** From the names of the authors' code, which ComfyUI and stable-diffusion.cpp keep, to those of diffusers. */
const RENAMED: readonly (readonly [RegExp, string])[] = [
  [/^final_layer\./, 'all_final_layer.2-1.'],
  [/^x_embedder\./, 'all_x_embedder.2-1.'],
  [/\.attention\.out\./, '.attention.to_out.0.'],
  [/\.attention\.([qk])_norm\./, '.attention.norm_$1.'],
]
/** Of Lumina 2, whose code Z-Image began with; nothing is computed from it. */
const UNREAD = 'norm_final.weight'

/** Names of a Z-Image transformer, with queries, keys and values fused or not. */
export function nameZImage(stored: string): readonly Target[] {
  if (stored === UNREAD) return []
  const [, attention, kind] = /^(.*\.attention)\.qkv\.(weight|bias)$/.exec(stored) ?? []
  if (attention !== undefined) {
    return splitInThree([`${attention}.to_q.${kind}`, `${attention}.to_k.${kind}`, `${attention}.to_v.${kind}`])
  }
  const name = RENAMED.reduce((before, [pattern, after]) => before.replace(pattern, after), stored)
  return [{ name, ...(name.endsWith('_pad_token') && { shape: 'row' as const }) }]
}
