import * as z from 'zod'
import { readFields } from '../configs/read-fields.ts'

/** How a checkpoint of GPTQ or AWQ stores its matrices. */
export interface Int4Method {
  readonly method: 'gptq' | 'awq'
  /** Inputs that share a scale and a zero point. */
  readonly groupSize: 16 | 32 | 64 | 128 | 256
  /** Whether the zero point is 8 everywhere. */
  readonly symmetric: boolean
  /** What was taken off zero points before they were stored. */
  readonly less: 0 | 1
}

const off = z.literal(false).optional()
const shared = {
  bits: z.literal(4),
  group_size: z.union([z.literal(16), z.literal(32), z.literal(64), z.literal(128), z.literal(256)]),
}
/** Whether 1 was taken off zero points; transformers writes it under both names, the first of which counts. */
const format = z.enum(['gptq', 'gptq_v2']).nullish()
const gptq = z.looseObject({
  ...shared,
  quant_method: z.literal('gptq'),
  // Inputs in another order would have to be moved in every product.
  desc_act: off,
  static_groups: off,
  sym: z.boolean().default(true),
  checkpoint_format: format,
  format,
  // Other settings for some of the layers.
  dynamic: z.record(z.string(), z.never()).nullish(),
})
const awq = z.looseObject({
  ...shared,
  quant_method: z.literal('awq'),
  version: z.string().toLowerCase().pipe(z.literal('gemm')).default('gemm'),
  zero_point: z.boolean().default(true),
})

const methodSchema = z.looseObject({ quantization_config: z.looseObject({ quant_method: z.enum(['gptq', 'awq']) }) })

/**
 * @param config parsed `config.json`
 * @param file its path, for errors
 * @returns undefined where it says nothing of these
 * @throws ModelFormatError naming a setting that is not read
 */
export function readInt4Method(config: unknown, file: string): Int4Method | undefined {
  const stored = methodSchema.safeParse(config).data?.quantization_config
  if (stored === undefined) return undefined
  const expected = `weights quantised by ${stored.quant_method} that are read: 4 bits in groups of 16 to 256, in the order of their inputs`
  const schema = stored.quant_method === 'gptq' ? gptq : awq
  const data = readFields(schema, stored, file, expected, 'quantization_config.')
  if (data.quant_method === 'awq') {
    return { method: 'awq', groupSize: data.group_size, symmetric: !data.zero_point, less: 0 }
  }
  const less = (data.checkpoint_format ?? data.format) === 'gptq_v2' ? 0 : 1
  return { method: 'gptq', groupSize: data.group_size, symmetric: data.sym, less }
}
