/** Rows of quantised blocks, as `QuantizationConfig` describes them. */
export interface QuantizedRows {
  /** [rows, blocks, blockSize·bits/8] */
  readonly values: Uint8Array
  /** [rows, blocks] */
  readonly scales: Float32Array
}

export interface BlockFormat {
  readonly bits: 4 | 8
  /** Neighbouring values of a row that share a scale. */
  readonly blockSize: number
}

/**
 * Four-bit levels that the extreme value of a block is tried at; the one of least squared error is taken. Clipping the
 * extreme a little (beyond -8) and using the one extra negative level take 15 % off the error on normally distributed
 * weights, against always putting it at 7. With eight bits the choice makes no difference.
 */
const EXTREME_LEVELS = [-8, -7.5, -8.5, -9, -9.5, 7, 8]

/** The row format of `QuantizationConfig`: int8 values [rows, width] as bytes, one scale a row [rows]. */
export function quantizeWholeRows(rows: Float32Array, width: number): QuantizedRows {
  const { values, scales } = quantizeRows(rows, width, { bits: 8, blockSize: width })
  // Taking the zero point of 128 off a byte turns its highest bit.
  return { values: values.map((value) => value ^ 0x80), scales }
}

/** Quantises whole rows of `width` values each. The last block of a row is filled up with zeros. */
export function quantizeRows(rows: Float32Array, width: number, { bits, blockSize }: BlockFormat): QuantizedRows {
  const blocks = Math.ceil(width / blockSize)
  const count = rows.length / width
  const blockBytes = (blockSize * bits) / 8
  const values = new Uint8Array(count * blocks * blockBytes)
  const scales = new Float32Array(count * blocks)
  const levels = new Uint8Array(blockSize)
  const zero = 2 ** (bits - 1)
  for (let row = 0; row < count; row++) {
    for (let block = 0; block < blocks; block++) {
      const start = row * width + block * blockSize
      const part = rows.subarray(start, Math.min(start + blockSize, (row + 1) * width))
      const scale = chooseScale(part, bits)
      const at = row * blocks + block
      scales[at] = scale
      levels.fill(zero)
      if (scale !== 0) for (let i = 0; i < part.length; i++) levels[i] = nearestLevel(part[i]!, 1 / scale, zero)
      writeLevels(levels, bits, values.subarray(at * blockBytes, (at + 1) * blockBytes))
    }
  }
  return { values, scales }
}

/** Zero only for a block of zeros. */
function chooseScale(block: Float32Array, bits: 4 | 8): number {
  let extreme = 0
  for (const value of block) if (Math.abs(value) > Math.abs(extreme)) extreme = value
  if (extreme === 0) return 0
  if (bits === 8) return Math.fround(extreme / 127)
  let best = 0
  let least = Infinity
  for (const level of EXTREME_LEVELS) {
    const scale = Math.fround(extreme / level)
    const error = squaredError(block, scale, bits)
    if (error < least) [best, least] = [scale, error]
  }
  return best
}

function squaredError(block: Float32Array, scale: number, bits: 4 | 8): number {
  const zero = 2 ** (bits - 1)
  const inverse = 1 / scale
  let sum = 0
  for (let i = 0; i < block.length; i++) {
    const error = block[i]! - (nearestLevel(block[i]!, inverse, zero) - zero) * scale
    sum += error * error
  }
  return sum
}

/** `floor(x + ½)` rounds like `Math.round` and is several times faster. */
function nearestLevel(value: number, inverseScale: number, zero: number): number {
  return Math.min(2 * zero - 1, Math.max(0, Math.floor(value * inverseScale + 0.5) + zero))
}

function writeLevels(levels: Uint8Array, bits: 4 | 8, into: Uint8Array): void {
  if (bits === 8) into.set(levels)
  else for (let i = 0; i < into.length; i++) into[i] = levels[2 * i]! | (levels[2 * i + 1]! << 4)
}
