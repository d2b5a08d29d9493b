import { expect, it } from 'vitest'
import { addEuros, formatCount, formatDay, formatDuration, formatEuros, formatMonth } from './format.ts'

it.each([
  ['0', '€0.00'],
  ['0.2', '€0.20'],
  ['12', '€12.00'],
  ['0.000039', '€0.000039'],
  ['9.999999999999', '€9.999999'],
  ['0.0000004', 'under €0.000001'],
  ['-0.4', '−€0.40'],
  ['123456789.5', '€123,456,789.50'],
])('writes %s EUR as %s', (amount, text) => {
  expect(formatEuros(amount)).toBe(text)
})

it('writes times, days and counts for people', () => {
  expect([0, 12.4, 999, 1000, 61_000].map(formatDuration)).toEqual(['0 ms', '12 ms', '999 ms', '1.0 s', '61.0 s'])
  expect([formatDay('2026-11-21'), formatMonth('2026-11-21')]).toEqual(['Sat, November 21', 'November 2026'])
  expect(formatCount(Number.MAX_SAFE_INTEGER)).toBe('9,007,199,254,740,991')
})

it.each([
  [[], '0.000000000000'],
  [['0.1', '0.2'], '0.300000000000'],
  [['999999999.999999999999', '0.000000000001', '5'], '1000000005.000000000000'],
])('adds %j to %s, exactly', (amounts, sum) => {
  expect(addEuros(amounts)).toBe(sum)
})
