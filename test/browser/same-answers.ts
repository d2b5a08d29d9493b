import { expect } from 'vitest'
import type { DecisionResponse } from '../../src/index.ts'

/** Equal answers but for rounding, which differs between processors and backends. */
export function expectSameAnswers(got: DecisionResponse, wanted: DecisionResponse): void {
  expect(got.model).toBe(wanted.model)
  expect(got.usage).toEqual(wanted.usage)
  const [gotNumbers, wantedNumbers] = [listNumbers(got.answers), listNumbers(wanted.answers)]
  expect(wantedNumbers.length).toBeGreaterThan(0)
  expect(gotNumbers.length).toBe(wantedNumbers.length)
  for (const [i, value] of wantedNumbers.entries()) expect(Math.abs(value - gotNumbers[i]!)).toBeLessThan(1e-3)
}

function listNumbers(value: unknown): number[] {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listNumbers) : []
}
