import { halfToNumber } from '../weights/decode-floats.ts'
import type { BlockFormat } from './block-format.ts'

const { fround } = Math

/** Of Q4_K and Q5_K: 256 numbers in eight groups, whose scales and offsets have six bits each and a factor a block. */
const GROUPS = 8
const GROUP = 32
/** Where the levels of Q4_K begin: behind two half-precision factors and twelve bytes of scales. */
const HEAD = 16

/** Four bits of each level; the lower ones of 32 bytes are of one group, the upper ones of the next. */
function readNibbles(source: Uint8Array, from: number, levels: Uint8Array, to: number): void {
  for (let group = 0; group < GROUPS; group += 2) {
    for (let i = 0; i < GROUP; i++) {
      const byte = source[from + group * 16 + i]!
      levels[to + group * GROUP + i] = byte & 15
      levels[to + group * GROUP + GROUP + i] = byte >> 4
    }
  }
}

function readFiveBits(source: Uint8Array, from: number, levels: Uint8Array, to: number): void {
  readNibbles(source, from + GROUP, levels, to)
  for (let group = 0; group < GROUPS; group++) {
    for (let i = 0; i < GROUP; i++) {
      const bit = (source[from + i]! >> group) & 1
      levels[to + group * GROUP + i] = levels[to + group * GROUP + i]! | (bit << 4)
    }
  }
}

function readScales(source: DataView, from: number, scales: Float32Array, offsets: Float32Array, to: number): void {
  const factor = halfToNumber(source.getUint16(from, true))
  const offsetFactor = halfToNumber(source.getUint16(from + 2, true))
  const byte = (index: number) => source.getUint8(from + 4 + index)
  for (let group = 0; group < GROUPS; group++) {
    // Those of the last four groups lie in the four bytes at the end and in the highest bits of the others.
    const split = group >= 4
    const scale = split ? (byte(group + 4) & 15) | ((byte(group - 4) >> 6) << 4) : byte(group) & 63
    const offset = split ? (byte(group + 4) >> 4) | ((byte(group) >> 6) << 4) : byte(group + 4) & 63
    scales[to + group] = fround(factor * scale)
    offsets[to + group] = -fround(offsetFactor * offset)
  }
}

/** Q6_K: two halves of 128 numbers; 64 bytes of lower and 32 of upper bits each, then a scale for each 16 numbers. */
function readSixBits(source: Uint8Array, from: number, levels: Uint8Array, to: number): void {
  for (let half = 0; half < 2; half++) {
    const low = from + 64 * half
    const high = from + 128 + 32 * half
    for (let quarter = 0; quarter < 4; quarter++) {
      const bytes = low + 32 * (quarter & 1)
      const shift = quarter < 2 ? 0 : 4
      const start = to + 128 * half + 32 * quarter
      for (let i = 0; i < 32; i++) {
        const upper = (source[high + i]! >> (2 * quarter)) & 3
        levels[start + i] = ((source[bytes + i]! >> shift) & 15) | (upper << 4)
      }
    }
  }
}

/** Blocks of 256 numbers, whose groups have scales of their own. */
export const K_BLOCKS: Readonly<Record<string, BlockFormat>> = {
  Q4_K: {
    group: GROUP,
    bits: 4,
    zero: 0,
    hasOffsets: true,
    readLevels: (source, from, levels, to) => readNibbles(source, from + HEAD, levels, to),
    readScales,
  },
  Q5_K: {
    group: GROUP,
    bits: 8,
    zero: 0,
    hasOffsets: true,
    readLevels: (source, from, levels, to) => readFiveBits(source, from + HEAD, levels, to),
    readScales,
  },
  Q6_K: {
    group: 16,
    bits: 8,
    zero: 32,
    hasOffsets: false,
    readLevels: readSixBits,
    readScales(source, from, scales, _, to) {
      const factor = halfToNumber(source.getUint16(from + 208, true))
      for (let group = 0; group < 16; group++) scales[to + group] = fround(factor * source.getInt8(from + 192 + group))
    },
  },
}
