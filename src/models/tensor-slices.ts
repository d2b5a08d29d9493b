import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { TensorEntry } from './weight-index.ts'

/** Memory of one step; a larger tensor is read in several. */
const SLICE_BYTES = 16 * 2 ** 20

/** The bytes of a tensor in slices of whole rows, at least one row and about `SLICE_BYTES` each. */
export async function* readSlices(folder: string, entry: TensorEntry): AsyncGenerator<Uint8Array> {
  const rowBytes = entry.length / (entry.shape[0] ?? 1) || 1
  const sliceBytes = Math.max(1, Math.floor(SLICE_BYTES / rowBytes)) * rowBytes
  const file = await open(join(folder, entry.file))
  try {
    for (let done = 0; done < entry.length; done += sliceBytes) {
      yield await readFully(file, entry.offset + done, Math.min(sliceBytes, entry.length - done))
    }
  } finally {
    await file.close()
  }
}

async function readFully(file: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length)
  for (let done = 0; done < length;) {
    const { bytesRead } = await file.read(bytes, done, length - done, position + done)
    if (bytesRead === 0) throw new RangeError(`the file ended ${length - done} bytes early`)
    done += bytesRead
  }
  return bytes
}
