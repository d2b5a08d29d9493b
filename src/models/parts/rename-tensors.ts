import { ModelFormatError } from '../../errors/index.ts'
import type { MadeTensor } from '../weights/made-weights.ts'
import type { Naming, Piece, Target } from './tensor-naming.ts'

/** What a stored tensor is made of by its name: itself, or its blocks, scales and offsets under names that begin with its own. */
export type StoredTensors<Tensor extends MadeTensor> = ReadonlyMap<string, readonly Tensor[]>

/**
 * Stored tensors under the names, in the order of rows and of the shapes of diffusers.
 *
 * @param path of the file, for errors
 * @throws ModelFormatError naming two tensors that are the same one, or one that cannot be divided
 */
export function renameTensors<Tensor extends MadeTensor>(
  stored: StoredTensors<Tensor>,
  naming: Naming,
  path: string,
): Tensor[] {
  const sources = new Map<string, string>()
  const renamed: Tensor[] = []
  for (const [source, tensors] of stored) {
    for (const target of naming(source)) {
      const other = sources.get(target.name)
      if (other !== undefined) {
        const got = `${other.slice(0, 200)} and ${source.slice(0, 200)}`
        throw new ModelFormatError(path, `one tensor that is ${target.name.slice(0, 200)}`, got)
      }
      sources.set(target.name, source)
      for (const tensor of tensors) renamed.push(rename(tensor, source, target, path))
    }
  }
  return renamed
}

function rename<Tensor extends MadeTensor>(tensor: Tensor, source: string, target: Target, path: string): Tensor {
  const name = `${target.name}${tensor.name.slice(source.length)}`
  const taken = target.pieces === undefined ? tensor : takePieces(tensor, target.pieces, path)
  return { ...taken, name, shape: reshape(taken.shape, target.shape) }
}

function reshape(shape: readonly number[], wanted: Target['shape']): readonly number[] {
  if (wanted === 'row') return shape.length === 1 ? [1, ...shape] : shape
  const [rows, width, ...rest] = shape
  return wanted === 'matrix' && width !== undefined && rest.every((dim) => dim === 1) ? [rows!, width] : shape
}

/** A tensor of whole pieces of another's rows. */
function takePieces<Tensor extends MadeTensor>(tensor: Tensor, pieces: readonly Piece[], path: string): Tensor {
  const [rows, ...rest] = tensor.shape
  const ranges = pieces.map(([index, count]) => ({ first: (index * (rows ?? 0)) / count, count: (rows ?? 0) / count }))
  if (rows === undefined || rest.length === 0 || !ranges.every(({ count }) => Number.isInteger(count))) {
    const expected = `${tensor.name.slice(0, 200)} as a matrix of ${pieces[0]![1]} equal pieces of rows`
    throw new ModelFormatError(path, expected, `[${tensor.shape.slice(0, 8)}]`)
  }
  const all = ranges.reduce((sum, { count }) => sum + count, 0)
  async function read(first: number, wanted: number): Promise<Uint8Array> {
    const found: Uint8Array[] = []
    let before = 0
    for (const range of ranges) {
      const from = Math.max(first, before)
      const to = Math.min(first + wanted, before + range.count)
      if (from < to) found.push(await tensor.read(range.first + from - before, to - from))
      before += range.count
    }
    return found.length === 1 ? found[0]! : join(found)
  }
  return { ...tensor, shape: [all, ...rest], read }
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
