import { type FileState, readFileState } from '../files/file-state.ts'
import type { MadeWeights, ModelFiles } from '../files/model-files.ts'
import { makeWeightFile } from '../weights/made-weights.ts'
import { openTensors } from '../weights/open-tensors.ts'
import { type Fp8Method, readFp8Method, withoutQuantization } from './fp8-method.ts'
import { translateFp8 } from './fp8-tensors.ts'

/** The one file of weights that a checkpoint in FP8 shows. */
const WEIGHTS = 'model.safetensors'
const CONFIG = 'config.json'

interface Described {
  readonly method: Fp8Method
  /** Of the file that says so. */
  readonly state: FileState
}

/**
 * The files of a folder; of one whose `config.json` says that its weights are FP8, as a checkpoint in float, made from it as
 * it is read.
 */
export function openFp8(files: ModelFiles): ModelFiles {
  let describing: Promise<Described | undefined> | undefined
  const describe = () => (describing ??= readDescribed(files))
  let making: Promise<MadeWeights> | undefined
  async function made(): Promise<MadeWeights | undefined> {
    const described = await describe()
    return described && (making ??= make(files, described))
  }
  return {
    ...files,
    made,
    async readText(name) {
      const text = await files.readText(name)
      if (text === undefined || (await describe()) === undefined) return text
      return name === CONFIG ? withoutQuantization(text) : isShardIndex(name) ? undefined : text
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

async function readDescribed(files: ModelFiles): Promise<Described | undefined> {
  const state = await readFileState(`${files.location}/${CONFIG}`)
  const method = readFp8Method(await files.readText(CONFIG))
  return method && { method, state }
}

async function make(files: ModelFiles, { method, state }: Described): Promise<MadeWeights> {
  const { weights, read } = await openTensors(files)
  const place = { folder: `${files.location}#float`, name: WEIGHTS }
  const file = makeWeightFile(translateFp8(weights, method, read), place, weights.metadata)
  return { ...file, sources: [...weights.sources, state] }
}
