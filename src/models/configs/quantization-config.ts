import * as z from 'zod'

const tensorFormatSchema = z
  .object({
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

/** The storage of one tensor. */
export type TensorFormat = z.infer<typeof tensorFormatSchema>

/**
 * How the linear and embedding weights of a bundle are stored. In blocks, `X.weight` [N,K] is uint8 [N, ceil(K/block),
 * block·bits/8] and `X.weight.scales` float32 [N, ceil(K/block)]; a weight is `(q - 2^(bits-1)) · scale`; of two 4-bit
 * values in a byte the low half is the earlier one. Where there is `X.weight.offsets`, of the shape of the scales, a weight
 * is that and the offset of its block more. With block size `row`, which has 8 bits, it is int8 [N,K], its scales
 * are float32 [N], and a weight is `q · scale`. Tensors without scales are stored plainly.
 */
export const quantizationConfigSchema = tensorFormatSchema.and(
  z.object({
    quant_method: z.literal('tessera'),
    /** Tensors that are stored otherwise than the rest, by name. */
    tensors: z.record(z.string(), tensorFormatSchema).optional(),
    /**
     * Whether results of norms were divided by a factor for each channel, and columns of the matrices behind them multiplied by it, before
     * weights were rounded. Nothing has to be undone; but changes of these matrices, as adapters are, are of other inputs.
     */
    smoothed: z.literal(true).optional(),
  }),
)

export type QuantizationConfig = z.infer<typeof quantizationConfigSchema>

/** The field of a configuration that says it; other tools write null there for weights that are stored plainly. */
export const quantizationFieldSchema = quantizationConfigSchema
  .nullish()
  .transform((quantization) => quantization ?? undefined)

/** What matrices are stored as that are too rough in whole rows, see `findRoughMatrices`. */
export const BLOCKS_FOR_ROUGH: TensorFormat = { bits: 8, block_size: 128 }

/** The storage of the tensor of that name, if it is quantised. */
export function formatOf({ tensors, bits, block_size }: QuantizationConfig, name: string): TensorFormat {
  return tensors !== undefined && Object.hasOwn(tensors, name) ? tensors[name]! : { bits, block_size }
}

/** The name that people give it: `int8 in blocks of 64`, `int8 in rows`. */
export function nameFormat({ bits, block_size: block }: TensorFormat): string {
  return `int${bits} in ${block === 'row' ? 'rows' : `blocks of ${block}`}`
}

/** The same of a whole bundle, whose tensors may have several: `int4 in blocks of 32, int8 in blocks of 16`. */
export function nameQuantization(config: QuantizationConfig): string {
  const names = [config, ...Object.values(config.tensors ?? {})].map(nameFormat)
  return [...new Set(names)].join(', ')
}
