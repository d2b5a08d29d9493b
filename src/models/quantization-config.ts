import { z } from 'zod'

/**
 * How the linear and embedding weights of a bundle are stored. In blocks, `X.weight` [N,K] is uint8 [N, ceil(K/block),
 * block·bits/8] and `X.weight.scales` float32 [N, ceil(K/block)]; a weight is `(q - 2^(bits-1)) · scale`; of two 4-bit
 * values in a byte the low half is the earlier one. With block size `row`, which has 8 bits, it is int8 [N,K], its scales
 * are float32 [N], and a weight is `q · scale`. Tensors without scales are stored plainly.
 */
export const quantizationConfigSchema = z
  .object({
    quant_method: z.literal('tessera'),
    bits: z.union([z.literal(4), z.literal(8)]),
    block_size: z.union([
      z.literal(16),
      z.literal(32),
      z.literal(64),
      z.literal(128),
      z.literal(256),
      z.literal('row'),
    ]),
  })
  .refine(({ bits, block_size }) => block_size !== 'row' || bits === 8, 'expected 8 bits with block_size "row"')

export type QuantizationConfig = z.infer<typeof quantizationConfigSchema>

/** How people call it: `int8 in blocks of 64`, `int8 in rows`. */
export function nameQuantization({ bits, block_size: block }: QuantizationConfig): string {
  return `int${bits} in ${block === 'row' ? 'rows' : `blocks of ${block}`}`
}
