import { open, type FileHandle } from 'node:fs/promises'
import { SAFETENSORS_BYTES, type SafetensorsType } from './weight-index.ts'

export interface TensorPlan {
  readonly name: string
  readonly dtype: SafetensorsType
  readonly shape: readonly number[]
}

/** Writes one safetensors file whose tensors are known beforehand and arrive in pieces, in any order. */
export class SafetensorsWriter {
  readonly #file: FileHandle
  readonly #next: Map<string, number>

  private constructor(file: FileHandle, starts: Map<string, number>) {
    this.#file = file
    this.#next = starts
  }

  static async create(
    path: string,
    plans: readonly TensorPlan[],
    metadata: Readonly<Record<string, string>>,
  ): Promise<SafetensorsWriter> {
    // Wider elements first keeps every tensor aligned to its own element size, as the format's reference writer does.
    const ordered = [...plans].sort((a, b) => SAFETENSORS_BYTES[b.dtype] - SAFETENSORS_BYTES[a.dtype])
    const header: Record<string, unknown> = { __metadata__: metadata }
    const starts = new Map<string, number>()
    let end = 0
    for (const { name, dtype, shape } of ordered) {
      const start = end
      end += shape.reduce((product, dim) => product * dim, SAFETENSORS_BYTES[dtype])
      starts.set(name, start)
      header[name] = { dtype, shape, data_offsets: [start, end] }
    }
    const json = new TextEncoder().encode(JSON.stringify(header))
    const prefix = new Uint8Array(8 + Math.ceil(json.length / 8) * 8).fill(0x20)
    new DataView(prefix.buffer).setBigUint64(0, BigInt(prefix.length - 8), true)
    prefix.set(json, 8)
    for (const [name, start] of starts) starts.set(name, start + prefix.length)
    const file = await open(path, 'wx')
    await writeFully(file, prefix, 0)
    return new SafetensorsWriter(file, starts)
  }

  /** Writes the next bytes of a tensor. */
  async append(name: string, data: ArrayBufferView): Promise<void> {
    const position = this.#next.get(name)
    if (position === undefined) throw new RangeError(`tensor ${name} is not in the plan of this file`)
    this.#next.set(name, position + data.byteLength)
    await writeFully(this.#file, new Uint8Array(data.buffer, data.byteOffset, data.byteLength), position)
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}

async function writeFully(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}
