import { type GgufValue, writeGgufFile } from './gguf-writer.ts'

/** Types of ggml that tensors are written in here. */
const GGUF_WRITTEN = { F32: 0, Q4_0: 2, Q8_0: 8 } as const
export type GgufWritten = keyof typeof GGUF_WRITTEN

export interface GgufSource {
  readonly shape: readonly number[]
  readonly values: Float32Array
  readonly type: GgufWritten
}

const BLOCK = 32

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
  const values = Object.entries(metadata).map(([key, value]) => [key, tagged(value)])
  const stored = Array.from(tensors, ([name, { shape, values, type }]) => {
    return { name, dims: shape.toReversed(), type: GGUF_WRITTEN[type], data: encode(values, type) }
  })
  await writeGgufFile(path, Object.fromEntries(values) as Record<string, GgufValue>, stored)
}

function tagged(value: string | number): GgufValue {
  if (typeof value === 'string') return { string: value }
  return Number.isInteger(value) ? { uint32: value } : { float32: value }
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
