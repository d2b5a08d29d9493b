import { halfToNumber } from '../weights/decode-floats.ts'
import type { BlockFormat } from './block-format.ts'

/** Numbers of a block, and of its one group. */
const SIZE = 32
const HALF = SIZE / 2

/** Levels of 32 numbers in four bits each: those of the first half of the block in the lower ones. */
function readNibbles(source: Uint8Array, from: number, levels: Uint8Array, to: number): void {
  for (let i = 0; i < HALF; i++) {
    const byte = source[from + i]!
    levels[to + i] = byte & 15
    levels[to + HALF + i] = byte >> 4
  }
}

/** The same with a fifth bit of each number in four bytes before them. */
function readFiveBits(source: Uint8Array, from: number, levels: Uint8Array, to: number): void {
  readNibbles(source, from + 4, levels, to)
  for (let i = 0; i < SIZE; i++) {
    const bit = (source[from + (i >> 3)]! >> (i & 7)) & 1
    levels[to + i] = levels[to + i]! | (bit << 4)
  }
}

function readScale(source: DataView, from: number, scales: Float32Array, _: Float32Array, to: number): void {
  scales[to] = halfToNumber(source.getUint16(from, true))
}

function readScaleAndOffset(
  source: DataView,
  from: number,
  scales: Float32Array,
  offsets: Float32Array,
  to: number,
): void {
  scales[to] = halfToNumber(source.getUint16(from, true))
  offsets[to] = halfToNumber(source.getUint16(from + 2, true))
}

const WITH_ZERO = { group: SIZE, hasOffsets: false, readScales: readScale } as const
const WITH_OFFSET = { group: SIZE, hasOffsets: true, zero: 0, readScales: readScaleAndOffset } as const

/** Blocks of 32 numbers with one scale: half-precision scale (and offset), upper bits, levels. */
export const PLAIN_BLOCKS: Readonly<Record<string, BlockFormat>> = {
  Q4_0: {
    ...WITH_ZERO,
    bits: 4,
    zero: 8,
    readLevels: (source, from, levels, to) => readNibbles(source, from + 2, levels, to),
  },
  Q4_1: {
    ...WITH_OFFSET,
    bits: 4,
    readLevels: (source, from, levels, to) => readNibbles(source, from + 4, levels, to),
  },
  Q5_0: {
    ...WITH_ZERO,
    bits: 8,
    zero: 16,
    readLevels: (source, from, levels, to) => readFiveBits(source, from + 2, levels, to),
  },
  Q5_1: {
    ...WITH_OFFSET,
    bits: 8,
    readLevels: (source, from, levels, to) => readFiveBits(source, from + 4, levels, to),
  },
  Q8_0: {
    ...WITH_ZERO,
    bits: 8,
    zero: 128,
    readLevels(source, from, levels, to) {
      // Signed in the file: turning the highest bit adds 128.
      for (let i = 0; i < SIZE; i++) levels[to + i] = source[from + 2 + i]! ^ 0x80
    },
  },
}
