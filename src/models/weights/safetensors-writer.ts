import { open, type FileHandle } from 'node:fs/promises'
import { layOutTensors, type TensorPlan } from './safetensors-layout.ts'

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
    const { prefix, starts } = layOutTensors(plans, metadata)
    const file = await open(path, 'wx')
    await writeFully(file, prefix, 0)
    return new SafetensorsWriter(file, new Map(starts))
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
