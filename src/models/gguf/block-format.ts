/**
 * How a type of ggml keeps numbers as levels, of which a group of neighbours shares a scale and, in some types, an offset:
 * `scale · (level - zero) + offset`, each step rounded to float32.
 */
export interface BlockFormat {
  /** Numbers that share a scale. */
  readonly group: 16 | 32
  /** Bits that a level needs here, which has 4 or 8 bits to be in. */
  readonly bits: 4 | 8
  /** The level of the number 0, where there are no offsets. */
  readonly zero: number
  readonly hasOffsets: boolean
  /** Writes the levels of the block that begins at byte `from`. */
  readLevels(source: Uint8Array, from: number, levels: Uint8Array, to: number): void
  /** Writes scales of the groups of that block and, where there are any, their offsets. */
  readScales(source: DataView, from: number, scales: Float32Array, offsets: Float32Array, to: number): void
}
