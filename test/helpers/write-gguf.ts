import { writeFile } from 'node:fs/promises'

/** Types of ggml that tensors are written in here. */
const GGUF_WRITTEN = { F32: 0, Q4_0: 2, Q8_0: 8 } as const
export type GgufWritten = keyof typeof GGUF_WRITTEN

export interface GgufSource {
  readonly shape: readonly number[]
  readonly values: Float32Array
  readonly type: GgufWritten
}

const BLOCK = 32
const ALIGNMENT = 32
const STRING = 8
const UINT32 = 4
const FLOAT32 = 6

/** What the numbers are once they are in blocks of a type. Scales are powers of two, so that half precision has them. */
export function roundToBlocks(values: Float32Array, type: GgufWritten): Float32Array {
  if (type === 'F32') return values
  const highest = type === 'Q8_0' ? 127 : 7
  return values.map((value, i) => {
    const scale = scaleOf(values, i - (i % BLOCK), highest)
    // No block has a zero below zero.
    return Math.round(value / scale) * scale + 0
  })
}

/** Writes a file of texts and numbers as metadata, and of tensors. */
export async function writeGguf(
  path: string,
  metadata: Readonly<Record<string, string | number>>,
  tensors: ReadonlyMap<string, GgufSource>,
): Promise<void> {
  const header: Buffer[] = [Buffer.from('GGUF'), uint32(3), uint64(tensors.size), uint64(Object.keys(metadata).length)]
  for (const [key, value] of Object.entries(metadata)) header.push(text(key), ...encodeValue(value))
  const data: Buffer[] = []
  let offset = 0
  for (const [name, { shape, values, type }] of tensors) {
    const bytes = encode(values, type)
    header.push(text(name), uint32(shape.length), ...shape.toReversed().map(uint64))
    header.push(uint32(GGUF_WRITTEN[type]), uint64(offset))
    data.push(bytes, padding(bytes.length))
    offset += bytes.length + padding(bytes.length).length
  }
  const start = Buffer.concat(header)
  await writeFile(path, Buffer.concat([start, padding(start.length), ...data]))
}

function encodeValue(value: string | number): Buffer[] {
  if (typeof value === 'string') return [uint32(STRING), text(value)]
  return Number.isInteger(value) ? [uint32(UINT32), uint32(value)] : [uint32(FLOAT32), float32(value)]
}

function scaleOf(values: Float32Array, first: number, highest: number): number {
  const largest = values.subarray(first, first + BLOCK).reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  return 2 ** Math.ceil(Math.log2(Math.max(largest, 2 ** -10) / highest))
}

function encode(values: Float32Array, type: GgufWritten): Buffer {
  if (type === 'F32') return Buffer.from(values.slice().buffer)
  const blocks: Buffer[] = []
  for (let first = 0; first < values.length; first += BLOCK) {
    const scale = scaleOf(values, first, type === 'Q8_0' ? 127 : 7)
    const levels = Array.from(values.subarray(first, first + BLOCK), (value) => Math.round(value / scale))
    const half = Buffer.alloc(2)
    half.writeUInt16LE((Math.log2(scale) + 15) << 10)
    blocks.push(half, type === 'Q8_0' ? Buffer.from(Int8Array.from(levels).buffer) : packHalves(levels))
  }
  return Buffer.concat(blocks)
}

/** Levels above -9 in four bits, those of the first half of the block in the lower ones. */
function packHalves(levels: readonly number[]): Buffer {
  return Buffer.from(levels.slice(0, BLOCK / 2).map((low, i) => (low + 8) | ((levels[i + BLOCK / 2]! + 8) << 4)))
}

const uint32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer)
const float32 = (value: number) => Buffer.from(Float32Array.of(value).buffer)
const uint64 = (value: number) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer)
const text = (value: string) => Buffer.concat([uint64(Buffer.byteLength(value)), Buffer.from(value)])
const padding = (length: number) => Buffer.alloc((ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT)
