import { z } from 'zod'

/**
 * How the linear and embedding weights of a bundle are stored. `X.weight` [N,K] is uint8 [N, ceil(K/block),
 * block·bits/8] and `X.weight.scales` float32 [N, ceil(K/block)]; a weight is `(q - 2^(bits-1)) · scale`; of two 4-bit
 * values in a byte the low half is the earlier one. Tensors without scales are stored plainly.
 */
export const quantizationConfigSchema = z.object({
  quant_method: z.literal('tessera'),
  bits: z.union([z.literal(4), z.literal(8)]),
  block_size: z.union([z.literal(16), z.literal(32), z.literal(64), z.literal(128), z.literal(256)]),
})

export type QuantizationConfig = z.infer<typeof quantizationConfigSchema>
