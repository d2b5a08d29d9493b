import type { QuantizationConfig } from '../configs/quantization-config.ts'
import type { ModelFiles } from '../files/model-files.ts'
import { translateFiles } from '../weights/translate-files.ts'
import { readInt4Method } from './int4-method.ts'
import { translateInt4 } from './int4-tensors.ts'

/** The files of a folder; of one whose `config.json` says that GPTQ or AWQ quantised it, as one in blocks of this library. */
export function openInt4(files: ModelFiles): ModelFiles {
  return translateFiles(files, (stored, path) => {
    const method = readInt4Method(stored, path)
    if (method === undefined) return undefined
    const quantization: QuantizationConfig = { quant_method: 'tessera', bits: 4, block_size: method.groupSize }
    return {
      form: 'blocks',
      config: (config) => ({ ...config, quantization_config: quantization }),
      tensors: (weights, read) => translateInt4(weights, method, read),
    }
  })
}
