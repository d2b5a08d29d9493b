import type { WeightFile } from '../files/model-files.ts'
import { decodeFloats } from './decode-floats.ts'
import type { ReadTensor } from './open-tensors.ts'
import { layOutTensors, type TensorPlan } from './safetensors-layout.ts'
import { SAFETENSORS_BYTES, type TensorEntry } from './weight-index.ts'

/** The one file of weights that a checkpoint shows whose own are stored otherwise or elsewhere. */
export const SHOWN_WEIGHTS = 'model.safetensors'

/** A tensor whose bytes are made when they are read. */
export interface MadeTensor extends TensorPlan {
  /** Rows of its first axis; a tensor of one axis is one row. Whole bytes of each, one after another. */
  read(first: number, count: number): Promise<Uint8Array>
}

/** A tensor as it is stored. */
export function storedTensor(name: string, entry: TensorEntry, read: ReadTensor): MadeTensor {
  const { dtype, shape, length } = entry
  const rowBytes = shape.length > 1 ? length / shape[0]! : length
  return { name, dtype, shape, read: (first, count) => read(entry, first * rowBytes, count * rowBytes) }
}

/**
 * A tensor of floats, changed and as float32.
 *
 * @param change of whole rows from `first` on, in place
 */
export function changedTensor(stored: MadeTensor, change: (values: Float32Array, first: number) => void): MadeTensor {
  return {
    ...stored,
    dtype: 'F32',
    async read(first, count) {
      const values = decodeFloats(await stored.read(first, count), stored.dtype)
      change(values, first)
      return new Uint8Array(values.buffer)
    },
  }
}

/**
 * A safetensors file that exists nowhere: parts of it are made as they are read, so that what reads checkpoints of this
 * library's formats reads others too.
 *
 * @param folder what the file says of where it is
 */
export function makeWeightFile(
  tensors: readonly MadeTensor[],
  folder: string,
  metadata: Readonly<Record<string, string>> = {},
): WeightFile {
  const { prefix, starts, size } = layOutTensors(tensors, metadata)
  const placed = tensors.map((tensor) => locate(tensor, starts.get(tensor.name)!)).sort((a, b) => a.start - b.start)
  return {
    folder,
    name: SHOWN_WEIGHTS,
    size,
    async read(start, length) {
      const end = Math.min(start + length, size)
      const bytes = new Uint8Array(Math.max(0, end - start))
      if (start < prefix.length) bytes.set(prefix.subarray(start, end))
      for (const part of placed) {
        const from = Math.max(start, part.start)
        const to = Math.min(end, part.end)
        if (from < to) bytes.set(await readPart(part, from - part.start, to - part.start), from - start)
      }
      return bytes
    },
  }
}

interface Located {
  readonly tensor: MadeTensor
  readonly start: number
  readonly end: number
  readonly rowBytes: number
}

function locate(tensor: MadeTensor, start: number): Located {
  const { shape, dtype } = tensor
  const length = shape.reduce((product, dim) => product * dim, SAFETENSORS_BYTES[dtype])
  const rows = shape.length > 1 ? shape[0]! : 1
  return { tensor, start, end: start + length, rowBytes: length / rows }
}

/** Bytes `from` to `to` of a tensor, of which only whole rows are made. */
async function readPart({ tensor, rowBytes }: Located, from: number, to: number): Promise<Uint8Array> {
  const first = Math.floor(from / rowBytes)
  const rows = await tensor.read(first, Math.ceil(to / rowBytes) - first)
  return rows.subarray(from - first * rowBytes, to - first * rowBytes)
}
