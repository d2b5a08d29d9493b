import { parseJson } from '../configs/parse-json.ts'
import type { QuantizationConfig } from '../configs/quantization-config.ts'
import type { ModelFiles } from '../files/model-files.ts'
import { translateFiles } from '../weights/translate-files.ts'
import { type Int4Method, readInt4Method } from './int4-method.ts'
import { translateInt4 } from './int4-tensors.ts'

/** The files of a folder; of one whose `config.json` says that GPTQ or AWQ quantised it, as one in blocks of this library. */
export function openInt4(files: ModelFiles): ModelFiles {
  return translateFiles(files, (text, path) => {
    const method = readMethod(text, path)
    return (
      method && {
        form: 'blocks',
        config: (config) => writeConfig(config, method),
        tensors: (weights, read) => translateInt4(weights, method, read),
      }
    )
  })
}

function readMethod(text: string | undefined, path: string): Int4Method | undefined {
  let config: unknown
  try {
    config = parseJson(text ?? 'null')
  } catch {
    // What is no JSON is refused by what reads it as a configuration.
    return undefined
  }
  return readInt4Method(config, path)
}

function writeConfig(text: string, { groupSize }: Int4Method): string {
  const quantization: QuantizationConfig = { quant_method: 'tessera', bits: 4, block_size: groupSize }
  return JSON.stringify({ ...(parseJson(text) as object), quantization_config: quantization }, undefined, 2)
}
