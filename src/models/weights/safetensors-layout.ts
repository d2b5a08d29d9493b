import { SAFETENSORS_BYTES, type SafetensorsType } from './weight-index.ts'

export interface TensorPlan {
  readonly name: string
  readonly dtype: SafetensorsType
  readonly shape: readonly number[]
}

export interface SafetensorsLayout {
  /** The beginning of the file, before its tensors. */
  readonly prefix: Uint8Array
  /** First byte of each tensor in the file, by name, in the order of the file. */
  readonly starts: ReadonlyMap<string, number>
  /** Bytes of the file. */
  readonly size: number
}

/** The places of tensors in a safetensors file, all of which are known beforehand. */
export function layOutTensors(
  plans: readonly TensorPlan[],
  metadata: Readonly<Record<string, string>>,
): SafetensorsLayout {
  // Wider elements first keeps every tensor aligned to its own element size, as the format's reference writer does.
  const ordered = [...plans].sort((a, b) => SAFETENSORS_BYTES[b.dtype] - SAFETENSORS_BYTES[a.dtype])
  const header: Record<string, unknown> = { __metadata__: metadata }
  const offsets = new Map<string, number>()
  let end = 0
  for (const { name, dtype, shape } of ordered) {
    const start = end
    end += shape.reduce((product, dim) => product * dim, SAFETENSORS_BYTES[dtype])
    offsets.set(name, start)
    header[name] = { dtype, shape, data_offsets: [start, end] }
  }
  const json = new TextEncoder().encode(JSON.stringify(header))
  const prefix = new Uint8Array(8 + Math.ceil(json.length / 8) * 8).fill(0x20)
  new DataView(prefix.buffer).setBigUint64(0, BigInt(prefix.length - 8), true)
  prefix.set(json, 8)
  const starts = new Map(Array.from(offsets, ([name, offset]) => [name, offset + prefix.length]))
  return { prefix, starts, size: prefix.length + end }
}
