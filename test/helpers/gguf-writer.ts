import { open } from 'node:fs/promises'

/** Value types of GGUF metadata (ggml/docs/gguf.md). */
const TYPES = { uint32: 4, float32: 6, string: 8, array: 9, int32: 5 } as const

export type GgufValue =
  | { readonly uint32: number }
  | { readonly float32: number }
  | { readonly string: string }
  | { readonly strings: readonly string[] }
  | { readonly int32s: readonly number[] }

export interface GgufTensor {
  readonly name: string
  /** Fastest axis first: [inputs, outputs] for a matrix. */
  readonly dims: readonly number[]
  /** ggml_type. */
  readonly type: number
  readonly data: Uint8Array
}

const ALIGNMENT = 32

/** Writes a GGUF file, version 3, little-endian. */
export async function writeGgufFile(
  path: string,
  metadata: Readonly<Record<string, GgufValue>>,
  tensors: readonly GgufTensor[],
): Promise<void> {
  const head: Uint8Array[] = [
    Buffer.from('GGUF'),
    uint32(3),
    uint64(tensors.length),
    uint64(Object.keys(metadata).length),
    ...Object.entries(metadata).flatMap(([key, value]) => [text(key), ...encode(value)]),
  ]
  let offset = 0
  for (const { name, dims, type, data } of tensors) {
    head.push(text(name), uint32(dims.length), ...dims.map(uint64), uint32(type), uint64(offset))
    offset += align(data.length)
  }
  const header = Buffer.concat(head)
  const file = await open(path, 'w')
  try {
    await file.write(padded(header))
    for (const { data } of tensors) await file.write(padded(data))
  } finally {
    await file.close()
  }
}

function encode(value: GgufValue): Uint8Array[] {
  if ('uint32' in value) return [uint32(TYPES.uint32), uint32(value.uint32)]
  if ('float32' in value) return [uint32(TYPES.float32), new Uint8Array(Float32Array.of(value.float32).buffer)]
  if ('string' in value) return [uint32(TYPES.string), text(value.string)]
  if ('strings' in value) return array(TYPES.string, value.strings.length, value.strings.map(text))
  return array(TYPES.int32, value.int32s.length, [new Uint8Array(Int32Array.from(value.int32s).buffer)])
}

function array(type: number, length: number, items: readonly Uint8Array[]): Uint8Array[] {
  return [uint32(TYPES.array), uint32(type), uint64(length), ...items]
}

function text(value: string): Uint8Array {
  const bytes = Buffer.from(value)
  return Buffer.concat([uint64(bytes.length), bytes])
}

function uint32(value: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(value).buffer)
}

function uint64(value: number): Uint8Array {
  return new Uint8Array(BigUint64Array.of(BigInt(value)).buffer)
}

function align(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT
}

function padded(bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array(align(bytes.length))
  whole.set(bytes)
  return whole
}
