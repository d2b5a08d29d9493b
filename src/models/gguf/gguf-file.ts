import { ModelFormatError } from '../../errors/index.ts'
import type { FileState } from '../files/file-state.ts'
import type { ModelFiles, WeightFile } from '../files/model-files.ts'
import type { GgufValue } from './gguf-cursor.ts'
import { type GgufTensor, readGgufHeader } from './gguf-header.ts'

/** A GGUF model, in one file or several. */
export interface GgufFile {
  /** Of its first file, for errors. */
  readonly path: string
  /** Of the first file. */
  readonly metadata: ReadonlyMap<string, GgufValue>
  readonly tensors: ReadonlyMap<string, GgufTensor & { readonly file: WeightFile }>
  /** All its files, as they were before their headers were read. */
  readonly sources: readonly FileState[]
}

/** What files of a divided model are called. Each part is found by this name alone, so that none can lead to another. */
const PART = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/i
const MOST_PARTS = 1000

/** Names of the files of a model, by that of its first. */
export function partNames(name: string): string[] {
  const [, stem, , of] = PART.exec(name) ?? []
  const count = Math.min(Number(of), MOST_PARTS)
  return stem === undefined ? [name] : Array.from({ length: count }, (_, i) => `${stem}-${pad(i + 1)}-of-${of}.gguf`)
}

/**
 * Reads the headers of a GGUF file, or of all parts of a divided one by the name of its first.
 *
 * @param files of the folder that it is in
 * @throws ModelFormatError when a file is missing, damaged, or another part than its name says
 */
export async function readGguf(files: ModelFiles, name: string): Promise<GgufFile> {
  const path = `${files.location}/${name}`
  const [, stem, number, of] = PART.exec(name) ?? []
  const first = await readPart(files, name)
  // What llama-gguf-split merged says 0.
  const parts = readCount(first.metadata, 'split.count') || 1
  if (stem === undefined || parts === 1) {
    if (parts === 1) return { path, ...first }
    throw new ModelFormatError(
      path,
      `a name such as model-00001-of-${pad(parts)}.gguf, as it is one of ${parts} files`,
      name,
    )
  }
  if (Number(number) !== 1)
    throw new ModelFormatError(path, `the first of its files, ${stem}-00001-of-${of}.gguf`, name)
  if (parts !== Number(of) || parts > MOST_PARTS) {
    throw new ModelFormatError(path, `${Number(of)} files (split.count), at most ${MOST_PARTS}`, String(parts))
  }
  const tensors = new Map(first.tensors)
  const sources = [...first.sources]
  for (const [index, part] of partNames(name).entries()) {
    const { metadata, tensors: more, sources: own } = index === 0 ? first : await readPart(files, part)
    if (readCount(metadata, 'split.no') !== index || readCount(metadata, 'split.count') !== parts) {
      const got = `part ${String(metadata.get('split.no')).slice(0, 20)} of ${String(metadata.get('split.count')).slice(0, 20)}`
      throw new ModelFormatError(`${files.location}/${part}`, `part ${index} of ${parts} (split.no, split.count)`, got)
    }
    if (index === 0) continue
    sources.push(...own)
    for (const [tensor, entry] of more) {
      if (tensors.has(tensor)) {
        throw new ModelFormatError(`${files.location}/${part}`, `${tensor} in one file only`, 'it in another too')
      }
      tensors.set(tensor, entry)
    }
  }
  const total = readCount(first.metadata, 'split.tensors.count')
  if (total !== undefined && total !== tensors.size) {
    throw new ModelFormatError(path, `${total} tensors in all files (split.tensors.count)`, String(tensors.size))
  }
  return { path, metadata: first.metadata, tensors, sources }
}

async function readPart(files: ModelFiles, name: string) {
  const path = `${files.location}/${name}`
  const file = await files.findWeights(name)
  if (file === undefined) throw new ModelFormatError(path, 'a GGUF file', 'no such file')
  const { metadata, tensors } = await readGgufHeader(file, path)
  const placed = new Map(Array.from(tensors, ([key, entry]) => [key, { ...entry, file }]))
  return { metadata, tensors: placed, sources: file.sources ?? [] }
}

function readCount(metadata: ReadonlyMap<string, GgufValue>, key: string): number | undefined {
  const value = metadata.get(key)
  return typeof value === 'number' ? value : undefined
}

function pad(number: number): string {
  return String(number).padStart(5, '0')
}
