import { parseJson } from '../configs/parse-json.ts'
import type { QuantizationConfig } from '../configs/quantization-config.ts'
import { type FileState, readFileState } from '../files/file-state.ts'
import type { MadeWeights, ModelFiles } from '../files/model-files.ts'
import { makeWeightFile } from '../weights/made-weights.ts'
import { openTensors } from '../weights/open-tensors.ts'
import { type Int4Method, readInt4Method } from './int4-method.ts'
import { translateInt4 } from './int4-tensors.ts'

const WEIGHTS = 'model.safetensors'
const CONFIG = 'config.json'

interface Described {
  readonly method: Int4Method
  /** Of the file that says so. */
  readonly state: FileState
}

/** The files of a folder; of one whose `config.json` says that GPTQ or AWQ quantised it, as one in blocks of this library. */
export function openInt4(files: ModelFiles): ModelFiles {
  let describing: Promise<Described | undefined> | undefined
  const describe = () => (describing ??= readDescribed(files))
  let making: Promise<MadeWeights> | undefined
  async function made(): Promise<MadeWeights | undefined> {
    const described = await describe()
    return described === undefined ? files.made?.() : (making ??= make(files, described))
  }
  return {
    ...files,
    made,
    async readText(name) {
      const text = await files.readText(name)
      const described = text === undefined ? undefined : await describe()
      if (text === undefined || described === undefined) return text
      if (name === CONFIG) return writeConfig(text, described.method)
      return name.endsWith('.safetensors.index.json') ? undefined : text
    },
    async findWeights(name) {
      if ((await describe()) === undefined) return files.findWeights(name)
      return name === WEIGHTS ? made() : undefined
    },
  }
}

async function readDescribed(files: ModelFiles): Promise<Described | undefined> {
  const state = await readFileState(`${files.location}/${CONFIG}`)
  const text = await files.readText(CONFIG)
  let config: unknown
  try {
    config = parseJson(text ?? 'null')
  } catch {
    // What is no JSON is refused by what reads it as a configuration.
    return undefined
  }
  const method = readInt4Method(config, `${files.location}/${CONFIG}`)
  return method && { method, state }
}

function writeConfig(text: string, { groupSize }: Int4Method): string {
  const quantization: QuantizationConfig = { quant_method: 'tessera', bits: 4, block_size: groupSize }
  return JSON.stringify({ ...(parseJson(text) as object), quantization_config: quantization }, undefined, 2)
}

async function make(files: ModelFiles, { method, state }: Described): Promise<MadeWeights> {
  const { weights, read } = await openTensors(files)
  const place = { folder: `${files.location}#blocks`, name: WEIGHTS }
  const file = makeWeightFile(await translateInt4(weights, method, read), place, weights.metadata)
  return { ...file, sources: [...weights.sources, state] }
}
