import type { Naming } from './tensor-naming.ts'

/** From the names of latent diffusion's code (`ae.safetensors`, `flux2-vae.safetensors`) to those of diffusers. */
const RENAMED: readonly (readonly [RegExp, string])[] = [
  [/^(encoder|decoder)\.norm_out\./, '$1.conv_norm_out.'],
  [/^encoder\.quant_conv\./, 'quant_conv.'],
  [/^decoder\.post_quant_conv\./, 'post_quant_conv.'],
  [/^encoder\.down\.(\d+)\.block\.(\d+)\./, 'encoder.down_blocks.$1.resnets.$2.'],
  [/^encoder\.down\.(\d+)\.downsample\./, 'encoder.down_blocks.$1.downsamplers.0.'],
  [/^(encoder|decoder)\.mid\.block_1\./, '$1.mid_block.resnets.0.'],
  [/^(encoder|decoder)\.mid\.block_2\./, '$1.mid_block.resnets.1.'],
  [/^(encoder|decoder)\.mid\.attn_1\.norm\./, '$1.mid_block.attentions.0.group_norm.'],
  [/^(encoder|decoder)\.mid\.attn_1\.([qkv])\./, '$1.mid_block.attentions.0.to_$2.'],
  [/^(encoder|decoder)\.mid\.attn_1\.proj_out\./, '$1.mid_block.attentions.0.to_out.0.'],
  [/\.nin_shortcut\./, '.conv_shortcut.'],
]
/** Products of the attention, which latent diffusion keeps as convolutions of one pixel. */
const PRODUCTS = /\.attentions\.0\.to_(?:[qkv]|out\.0)\.weight$/

/** @param levels of the decoder, which that code counts from the other end */
export function nameAutoencoder(levels: number): Naming {
  return (stored) => {
    const turned = stored.replace(
      /^decoder\.up\.(\d+)\.(?:block\.(\d+)|upsample)\./,
      (_, level: string, block?: string) =>
        `decoder.up_blocks.${levels - 1 - Number(level)}.${block === undefined ? 'upsamplers.0' : `resnets.${block}`}.`,
    )
    const name = RENAMED.reduce((before, [pattern, after]) => before.replace(pattern, after), turned)
    return [{ name, ...(PRODUCTS.test(name) && { shape: 'matrix' as const }) }]
  }
}
