import type { FileState } from '../files/file-state.ts'
import type { Changes } from '../lora/change.ts'

/** Element types of a safetensors file that a weight may have, by the name the format gives them. */
export const SAFETENSORS_BYTES = {
  F64: 8,
  F32: 4,
  F16: 2,
  BF16: 2,
  I64: 8,
  I32: 4,
  I16: 2,
  I8: 1,
  F8_E4M3: 1,
  U8: 1,
  BOOL: 1,
} as const

export type SafetensorsType = keyof typeof SAFETENSORS_BYTES

/** The place of a tensor; its bytes are never read into JavaScript memory by this library's inference. */
export interface TensorEntry {
  readonly dtype: SafetensorsType
  readonly shape: readonly number[]
  /** Name of the file, relative to the index's folder. */
  readonly file: string
  /** First byte of the tensor in that file. */
  readonly offset: number
  /** Bytes. */
  readonly length: number
}

/** The tensors of a checkpoint, whichever of its files they are in. */
export interface WeightIndex {
  /** Absolute path of the folder that holds the files themselves, links followed. */
  readonly folder: string
  readonly names: readonly string[]
  /** The `__metadata__` entries of all files; of equal keys the last file's counts. */
  readonly metadata: Readonly<Record<string, string>>
  /** Its files on this machine, or those that they are made from, as they were before their headers were read. */
  readonly sources: readonly FileState[]
  get(name: string): TensorEntry | undefined
  /** What adapters add to its matrices in graphs of it. */
  readonly changes?: Changes
}
