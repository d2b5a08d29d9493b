import * as z from 'zod'

/** How a checkpoint says that its weights are FP8. */
export interface Fp8Method {
  /** Rows and columns that share a scale, where there is one a block. */
  readonly blockSize: readonly [number, number] | undefined
}

const schema = z.looseObject({
  quantization_config: z.looseObject({
    quant_method: z.string(),
    /** Of compressed-tensors. */
    format: z.string().nullish(),
    /** Of modelopt. */
    quant_algo: z.string().nullish(),
    /** Rotations of inputs beside the weights, of compressed-tensors too; what has any is refused with the methods that are not read. */
    transform_config: z.record(z.string(), z.never()).nullish(),
    weight_block_size: z.tuple([z.int().positive(), z.int().positive()]).nullish(),
  }),
})

/** @param config parsed `config.json`; what is none is nothing that this knows */
export function readFp8Method(config: unknown): Fp8Method | undefined {
  const found = schema.safeParse(config).data?.quantization_config
  if (found === undefined) return undefined
  const { quant_method: method, format, quant_algo: algorithm, weight_block_size: size } = found
  const isFp8 =
    method === 'fp8' ||
    method === 'fbgemm_fp8' ||
    (method === 'compressed-tensors' && format === 'float-quantized') ||
    (method === 'modelopt' && algorithm === 'FP8')
  return isFp8 ? { blockSize: size ?? undefined } : undefined
}

/** The same `config.json` for weights that are float. */
export function withoutQuantization(stored: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { quantization_config: _, ...config } = stored
  return config
}
