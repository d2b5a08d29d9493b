import { expect, it } from 'vitest'
import { quantizeRows, quantizeWholeRows, type BlockFormat } from './quantize-rows.ts'

const WIDTH = 40
const ROWS = 3

function makeRows(): Float32Array {
  return Float32Array.from({ length: ROWS * WIDTH }, (_, i) => Math.sin(i * 12.9898) * (1 + Math.cos(i * 0.37) ** 4))
}

/** Levels of every stored value, in order, padding included. */
function unpack(values: Uint8Array, bits: 4 | 8): number[] {
  return Array.from(values).flatMap((byte) => (bits === 8 ? [byte] : [byte & 15, byte >> 4]))
}

const formats = ([4, 8] as const).flatMap((bits) => [16, 32].map((blockSize): BlockFormat => ({ bits, blockSize })))

it.each(formats)('restores every value within half a step unless it was clipped, %o', (format) => {
  const { bits, blockSize } = format
  const rows = makeRows()
  const { values, scales } = quantizeRows(rows, WIDTH, format)
  const blocks = Math.ceil(WIDTH / blockSize)
  const levels = unpack(values, bits)
  expect(levels.length).toBe(ROWS * blocks * blockSize)
  for (const [i, value] of rows.entries()) {
    const row = Math.floor(i / WIDTH)
    const column = i % WIDTH
    const scale = scales[row * blocks + Math.floor(column / blockSize)]!
    const level = levels[row * blocks * blockSize + column]!
    const clipped = bits === 4 && (level === 0 || level === 15)
    const steps = Math.abs(value - (level - 2 ** (bits - 1)) * scale) / Math.abs(scale)
    expect(steps).toBeLessThan(clipped ? 1.6 : 0.5 + 1e-5)
  }
})

it('has a smaller squared error with 4 bits than dividing the extreme by 7', () => {
  const rows = makeRows()
  const { values, scales } = quantizeRows(rows, WIDTH, { bits: 4, blockSize: 8 * 5 })
  const levels = unpack(values, 4)
  let chosen = 0
  let plain = 0
  for (let row = 0; row < ROWS; row++) {
    const part = rows.subarray(row * WIDTH, (row + 1) * WIDTH)
    const step = Math.max(...part.map(Math.abs)) / 7
    for (const [i, value] of part.entries()) {
      chosen += (value - (levels[row * WIDTH + i]! - 8) * scales[row]!) ** 2
      plain += (value - Math.round(value / step) * step) ** 2
    }
  }
  expect(chosen).toBeLessThan(plain)
})

it('stores zeros as the zero point with scale 0', () => {
  const { values, scales } = quantizeRows(new Float32Array(16), 16, { bits: 4, blockSize: 16 })
  expect([...values]).toEqual(Array(8).fill(0x88))
  expect([...scales]).toEqual([0])
})

it('puts the earlier of two 4-bit values into the low half', () => {
  const row = new Float32Array(16)
  row[0] = -8
  row[1] = 7
  const { values } = quantizeRows(row, 16, { bits: 4, blockSize: 16 })
  expect(values[0]).toBe(0xf0)
})

it('stores a whole row as signed bytes with one scale, its extreme at 127', () => {
  const rows = makeRows()
  const { values, scales } = quantizeWholeRows(rows, WIDTH)
  const signed = new Int8Array(values.buffer)
  expect([values.length, scales.length]).toEqual([ROWS * WIDTH, ROWS])
  for (const [i, value] of rows.entries()) {
    const scale = scales[Math.floor(i / WIDTH)]!
    expect(Math.abs(value - signed[i]! * scale)).toBeLessThan(Math.abs(scale) * (0.5 + 1e-5))
  }
  for (let row = 0; row < ROWS; row++) expect(Math.max(...signed.subarray(row * WIDTH, (row + 1) * WIDTH))).toBe(127)
})
