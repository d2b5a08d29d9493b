/** Values of the bytes of E4M3 without infinities (Micikevicius et al. 2022, arXiv:2209.05433), the 256 of them. */
export const E4M3 = Float32Array.from({ length: 256 }, (_, bits) => {
  const sign = bits & 0x80 ? -1 : 1
  const exponent = (bits >> 3) & 15
  const fraction = bits & 7
  if (exponent === 15 && fraction === 7) return Number.NaN
  return sign * (exponent === 0 ? fraction * 2 ** -9 : (8 + fraction) * 2 ** (exponent - 10))
})

/** What the numbers of a matrix [rows, width] are multiplied by: one scale for each block of rows and columns. */
export interface BlockScales {
  /** Row after row of blocks. */
  readonly values: Float32Array
  readonly blockRows: number
  readonly blockColumns: number
}

/** Whole rows of a matrix from its row `first` on, as float32. */
export function decodeRows(bytes: Uint8Array, first: number, width: number, scales: BlockScales): Float32Array {
  const { values, blockRows, blockColumns } = scales
  const across = Math.ceil(width / blockColumns)
  const numbers = new Float32Array(bytes.length)
  for (let at = 0; at < bytes.length; at++) {
    const row = Math.floor((first + Math.floor(at / width)) / blockRows)
    const column = Math.floor((at % width) / blockColumns)
    numbers[at] = E4M3[bytes[at]!]! * values[row * across + column]!
  }
  return numbers
}
