import type { WeightFile } from '../files/model-files.ts'
import type { TensorEntry } from './weight-index.ts'

/** Memory of one step; a larger tensor is read in several. */
const SLICE_BYTES = 16 * 2 ** 20

/** The bytes of a tensor in slices of whole rows, at least one row and about `SLICE_BYTES` each. */
export async function* readSlices(file: WeightFile, entry: TensorEntry): AsyncGenerator<Uint8Array> {
  const rowBytes = entry.length / (entry.shape[0] ?? 1) || 1
  const sliceBytes = Math.max(1, Math.floor(SLICE_BYTES / rowBytes)) * rowBytes
  for (let done = 0; done < entry.length; done += sliceBytes) {
    yield await readFully(file, entry.offset + done, Math.min(sliceBytes, entry.length - done))
  }
}

async function readFully(file: WeightFile, position: number, length: number): Promise<Uint8Array> {
  const first = await file.read(position, length)
  if (first.length === length) return first
  const bytes = new Uint8Array(length)
  bytes.set(first)
  for (let done = first.length; done < length;) {
    const more = await file.read(position + done, length - done)
    if (more.length === 0) throw new RangeError(`the file ended ${length - done} bytes early`)
    bytes.set(more, done)
    done += more.length
  }
  return bytes
}
