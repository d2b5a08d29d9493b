import { ModelFormatError } from '../../errors/index.ts'
import type { ModelFiles, WeightFile } from '../files/model-files.ts'
import { openFolder } from '../files/model-folder.ts'
import { indexWeights } from './index-weights.ts'
import type { TensorEntry, WeightIndex } from './weight-index.ts'

/** Bytes of a tensor, `length` of them from its byte `start` on. */
export type ReadTensor = (entry: TensorEntry, start: number, length: number) => Promise<Uint8Array>

/** The tensors of a checkpoint on this machine, and how their bytes are read. */
export interface OpenTensors {
  readonly weights: WeightIndex
  readonly read: ReadTensor
}

/**
 * @param index of the files. @defaultValue that of their weights
 * @throws ModelFormatError when a file is missing, damaged or inconsistent
 */
export async function openTensors(files: ModelFiles, index?: WeightIndex): Promise<OpenTensors> {
  const weights = index ?? (await indexWeights(files))
  const made = index === undefined ? await files.made?.() : undefined
  const folder = openFolder(weights.folder)
  const opened = new Map<string, Promise<WeightFile | undefined>>()
  async function read({ file, offset }: TensorEntry, start: number, length: number): Promise<Uint8Array> {
    if (!opened.has(file)) opened.set(file, made === undefined ? folder.findWeights(file) : Promise.resolve(made))
    const bytes = await (await opened.get(file))?.read(offset + start, length)
    if (bytes?.length === length) return bytes
    throw new ModelFormatError(
      `${weights.folder}/${file}`,
      'the file that its header was read from',
      'another, or none',
    )
  }
  return { weights, read }
}
