import { expect, it } from 'vitest'
import { DEFAULT_PRICES, readPrices } from './prices.ts'

it('prices a token of the specification at 39 billionths of a euro', () => {
  expect(readPrices(DEFAULT_PRICES)).toEqual({ decisions: 39_000n })
})

it('takes a price that a single unit can be charged with exactly, and no other', () => {
  expect(readPrices({ decisions: { amount: '0.000001', per: 1_000_000 } })).toEqual({ decisions: 1n })
  expect(() => readPrices({ decisions: { amount: '1', per: 3 } })).toThrow(
    /^prices\.decisions: must come to at most 12/,
  )
})

it.each([0, -1, 1.5, Number.NaN])('refuses a price for %s units', (per) => {
  expect(() => readPrices({ decisions: { amount: '1', per } })).toThrow(
    /^prices\.decisions\.per: must be a whole number/,
  )
})
