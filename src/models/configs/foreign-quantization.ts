import * as z from 'zod'
import { ModelFormatError } from '../../errors/index.ts'

const schema = z.looseObject({
  quantization_config: z
    .looseObject({ quant_method: z.string().optional(), transform_config: z.unknown().optional() })
    .nullish(),
  /** Of MLX, which says the same in `quantization_config` in newer files. */
  quantization: z.looseObject({ bits: z.number() }).nullish(),
})
/** What says the method of a configuration that does not name it: older bitsandbytes, and the library of HQQ itself. */
const UNNAMED: readonly (readonly [field: string, method: string])[] = [
  ['load_in_4bit', 'bitsandbytes'],
  ['load_in_8bit', 'bitsandbytes'],
  ['weight_quant_params', 'hqq'],
]

/**
 * @param json a `config.json`
 * @param file its path, for errors
 * @throws ModelFormatError naming the method by which another library quantised the weights
 */
export function refuseForeignQuantization(json: unknown, file: string): void {
  const method = findMethod(json)
  if (method === undefined || method === 'tessera') return
  const expected = 'float weights, or weights that `tessera quantize` wrote'
  throw new ModelFormatError(file, expected, `weights quantised by ${method.slice(0, 200)} (quantization_config)`)
}

function findMethod(json: unknown): string | undefined {
  const { quantization_config: config, quantization } = schema.safeParse(json).data ?? {}
  if (config?.quant_method !== undefined) {
    const rotates = Object.keys(Object(config.transform_config)).length > 0
    return `${config.quant_method}${rotates ? ' with transform_config' : ''}`
  }
  if (quantization) return 'MLX'
  if (!config) return undefined
  return UNNAMED.find(([field]) => field in config)?.[1] ?? 'an unnamed method'
}
