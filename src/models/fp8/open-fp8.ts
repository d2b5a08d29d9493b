import type { ModelFiles } from '../files/model-files.ts'
import { translateFiles } from '../weights/translate-files.ts'
import { readFp8Method, withoutQuantization } from './fp8-method.ts'
import { translateFp8 } from './fp8-tensors.ts'

/**
 * The files of a folder; of one whose `config.json` says that its weights are FP8, as a checkpoint in float, made from it as
 * it is read.
 */
export function openFp8(files: ModelFiles): ModelFiles {
  return translateFiles(files, (stored) => {
    const method = readFp8Method(stored)
    return (
      method && {
        form: 'float',
        config: withoutQuantization,
        tensors: (weights, read) => translateFp8(weights, method, read),
      }
    )
  })
}
