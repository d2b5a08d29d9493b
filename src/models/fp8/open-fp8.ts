import { ModelFormatError } from '../../errors/index.ts'
import { indexWeights } from '../index-weights.ts'
import { makeWeightFile } from '../made-weights.ts'
import type { ModelFiles, WeightFile } from '../model-files.ts'
import { openFolder } from '../model-folder.ts'
import type { TensorEntry } from '../weight-index.ts'
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
  let making: Promise<WeightFile> | undefined
  async function made(): Promise<WeightFile | undefined> {
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

async function make(files: ModelFiles, method: NonNullable<ReturnType<typeof readFp8Method>>): Promise<WeightFile> {
  const weights = await indexWeights(files)
  const source = openFolder(weights.folder)
  const opened = new Map<string, Promise<WeightFile | undefined>>()
  async function read({ file, offset }: TensorEntry, start: number, length: number): Promise<Uint8Array> {
    if (!opened.has(file)) opened.set(file, source.findWeights(file))
    const found = await opened.get(file)
    const bytes = await found?.read(offset + start, length)
    if (bytes?.length === length) return bytes
    throw new ModelFormatError(
      `${weights.folder}/${file}`,
      'the file that its header was read from',
      'another, or none',
    )
  }
  const place = { folder: `${files.location}#float`, name: WEIGHTS }
  return makeWeightFile(translateFp8(weights, method, read), place, weights.metadata)
}
