import type { MadeWeights, ModelFiles } from '../files/model-files.ts'
import { makeWeightFile } from '../weights/made-weights.ts'
import { openTensors } from '../weights/open-tensors.ts'
import { readFp8Method, withoutQuantization } from './fp8-method.ts'
import { translateFp8 } from './fp8-tensors.ts'

/** The one file of weights that a checkpoint in FP8 shows. */
const WEIGHTS = 'model.safetensors'

/**
 * The files of a folder; of one whose `config.json` says that its weights are FP8, as a checkpoint in float, made from it as
 * it is read.
 */
export function openFp8(files: ModelFiles): ModelFiles {
  let describing: Promise<ReturnType<typeof readFp8Method>> | undefined
  const describe = () => (describing ??= files.readText('config.json').then(readFp8Method))
  let making: Promise<MadeWeights> | undefined
  async function made(): Promise<MadeWeights | undefined> {
    const method = await describe()
    return method && (making ??= make(files, method))
  }
  return {
    ...files,
    made,
    async readText(name) {
      const text = await files.readText(name)
      if (text === undefined || (await describe()) === undefined) return text
      return name === 'config.json' ? withoutQuantization(text) : isShardIndex(name) ? undefined : text
    },
    async findWeights(name) {
      const weights = await made()
      if (weights === undefined) return files.findWeights(name)
      return name === WEIGHTS ? weights : undefined
    },
  }
}

function isShardIndex(name: string): boolean {
  return name.endsWith('.safetensors.index.json')
}

async function make(files: ModelFiles, method: NonNullable<ReturnType<typeof readFp8Method>>): Promise<MadeWeights> {
  const { weights, read, sources } = await openTensors(files)
  const place = { folder: `${files.location}#float`, name: WEIGHTS }
  const file = makeWeightFile(translateFp8(weights, method, read), place, weights.metadata)
  return { ...file, sources: [...sources, `${files.location}/config.json`] }
}
