import { expect, it } from 'vitest'
import { quantizeWholeRows } from './quantize-rows.ts'
import { addErrors, measureWholeRows, NO_ERROR, relativeError } from './rounding-error.ts'

/** Sums of twelve numbers without a pattern are nearly normally distributed. */
function normal(count: number): Float32Array {
  let state = 1
  const uniform = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32
  return Float32Array.from({ length: count }, () => Array.from({ length: 12 }, uniform).reduce((a, b) => a + b, -6))
}

const WIDTH = 512
const errorOf = (rows: Float32Array) => relativeError(measureWholeRows(rows, WIDTH))

it('is the error of the rows that are stored', () => {
  const rows = normal(20 * WIDTH)
  const { values, scales } = quantizeWholeRows(rows, WIDTH)
  const [errors, squares] = [...rows].reduce(
    ([e, s], value, i) => {
      const stored = Math.fround(((values[i]! << 24) >> 24) * scales[Math.floor(i / WIDTH)]!)
      return [e + (value - stored) ** 2, s + value ** 2] as const
    },
    [0, 0] as readonly [number, number],
  )
  const measured = measureWholeRows(rows, WIDTH)
  expect(measured.squares).toBeCloseTo(squares, 3)
  expect(measured.errors / errors).toBeCloseTo(1, 3)
})

it('is small without outliers, and of a row that is large as a whole', () => {
  const rows = normal(20 * WIDTH)
  expect(errorOf(rows)).toBeGreaterThan(0.006)
  expect(errorOf(rows)).toBeLessThan(0.0095)
  for (let i = 0; i < WIDTH; i++) rows[i]! *= 100
  expect(errorOf(rows)).toBeLessThan(0.0095)
})

it('grows with a column of outliers', () => {
  const rows = normal(20 * WIDTH)
  for (let i = 7; i < rows.length; i += WIDTH) rows[i] = 30
  // The step is 30 / 127, its error that by √12; the root of the mean square is √(1 + 900 / 512).
  expect(errorOf(rows)).toBeCloseTo(30 / 127 / Math.sqrt(12) / Math.sqrt(1 + 900 / WIDTH), 3)
})

it('adds up over slices, and is nothing for zeros', () => {
  const rows = normal(4 * WIDTH)
  const halves = [rows.subarray(0, 2 * WIDTH), rows.subarray(2 * WIDTH)].map((half) => measureWholeRows(half, WIDTH))
  expect(relativeError(halves.reduce(addErrors, NO_ERROR))).toBeCloseTo(errorOf(rows), 12)
  expect(errorOf(new Float32Array(WIDTH))).toBe(0)
})
