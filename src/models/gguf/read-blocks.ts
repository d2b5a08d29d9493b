import { decodeFloats } from '../weights/decode-floats.ts'
import type { SafetensorsType } from '../weights/weight-index.ts'
import type { BlockFormat } from './block-format.ts'
import { BLOCK_FORMATS } from './block-formats.ts'
import type { GgmlType } from './gguf-types.ts'

/** Bytes of a tensor's rows, whole blocks of its type, as the numbers they stand for: those of ggml to the last bit. */
export function dequantize(bytes: Uint8Array, type: GgmlType): Float32Array {
  const format = BLOCK_FORMATS[type.name]
  if (format === undefined) return decodeFloats(bytes, type.name as SafetensorsType)
  const levels = readLevels(bytes, type, format)
  const { scales, offsets } = readScales(bytes, type, format)
  const values = new Float32Array(levels.length)
  for (let i = 0; i < values.length; i++) {
    const group = Math.floor(i / format.group)
    const scaled = Math.fround(scales[group]! * (levels[i]! - format.zero))
    values[i] = format.hasOffsets ? scaled + offsets[group]! : scaled
  }
  return values
}

/** One byte a number. */
function readLevels(bytes: Uint8Array, type: GgmlType, format: BlockFormat): Uint8Array {
  const blocks = bytes.length / type.bytes
  const levels = new Uint8Array(blocks * type.elements)
  for (let i = 0; i < blocks; i++) format.readLevels(bytes, i * type.bytes, levels, i * type.elements)
  return levels
}

function readScales(bytes: Uint8Array, type: GgmlType, format: BlockFormat) {
  const blocks = bytes.length / type.bytes
  const groups = type.elements / format.group
  const scales = new Float32Array(blocks * groups)
  const offsets = new Float32Array(format.hasOffsets ? scales.length : 0)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let i = 0; i < blocks; i++) format.readScales(view, i * type.bytes, scales, offsets, i * groups)
  return { scales, offsets }
}

/** Levels as `QuantizationConfig` packs them, whose zero point is 2^(bits-1). */
export function packLevels(bytes: Uint8Array, type: GgmlType, format: BlockFormat): Uint8Array {
  const levels = readLevels(bytes, type, format)
  if (format.bits === 8) {
    const up = format.hasOffsets ? 128 : 128 - format.zero
    if (up !== 0) for (let i = 0; i < levels.length; i++) levels[i] = levels[i]! + up
    return levels
  }
  const packed = new Uint8Array(levels.length / 2)
  for (let i = 0; i < packed.length; i++) packed[i] = levels[2 * i]! | (levels[2 * i + 1]! << 4)
  return packed
}

export function packScales(bytes: Uint8Array, type: GgmlType, format: BlockFormat): Float32Array {
  return readScales(bytes, type, format).scales
}

/** What is added to each number of a group whose levels are `packLevels`. */
export function packOffsets(bytes: Uint8Array, type: GgmlType, format: BlockFormat): Float32Array {
  const { scales, offsets } = readScales(bytes, type, format)
  // Levels of four bits have no room to be moved up: what the zero point takes off is given back here.
  if (format.bits === 4) for (let i = 0; i < offsets.length; i++) offsets[i] = offsets[i]! + 8 * scales[i]!
  return offsets
}
