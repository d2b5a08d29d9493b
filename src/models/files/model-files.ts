import type { Changes } from '../lora/change.ts'
import type { WeightIndex } from '../weights/weight-index.ts'
import type { FileState } from './file-state.ts'

/**
 * The files of a model, wherever they are: a folder of a disk (`openFolder`) or below a URL (in browsers). What opens
 * models reads through this and knows no file system.
 */
export interface ModelFiles {
  /** Path or URL without a slash at the end, for errors. */
  readonly location: string
  /** The name that the model goes by: its hub id, or the last part of the location. */
  readonly name: string
  /** Undefined where there is no file of that name. */
  readText(name: string): Promise<string | undefined>
  findWeights(name: string): Promise<WeightFile | undefined>
  /**
   * The file of weights that is made from others as it is read, where these files have one: a session opens it only once it
   * is written somewhere.
   */
  readonly made?: () => Promise<MadeWeights | undefined>
  /** What adapters that were chosen beside these files add to their matrices. @throws ModelFormatError */
  readonly changes?: (weights: WeightIndex) => Promise<Changes>
  /** Names of all files and folders here, where they can be listed: for errors. */
  names?(): Promise<readonly string[]>
  /** The files of a folder in this one, such as `transformer`. */
  within(folder: string): ModelFiles
}

/** Weights that are made from files on this machine. */
export interface MadeWeights extends WeightFile {
  readonly sources: readonly FileState[]
  /** Of a part of a model, path of the file or folder that it stands for. @defaultValue that of the model */
  readonly path?: string
  /** Of a part of a pipeline, which, and the path of its configuration: one file may be several parts, of several pipelines. */
  readonly part?: { readonly name: string; readonly config: string }
}

/** A file of weights, of which only parts are ever read here. */
export interface WeightFile {
  /** Folder or URL that the file is really in, links followed: onnxruntime opens no weight file outside of it. */
  readonly folder: string
  /** Its name there. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** The files on this machine that it is, or is made from, as they were before anything of them was read. */
  readonly sources?: readonly FileState[]
  /** Fewer bytes where the file ends. */
  read(start: number, length: number): Promise<Uint8Array>
}
