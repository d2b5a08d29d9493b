import { expect, it } from 'vitest'
import { DEFAULT_PRICES, readPrices } from './prices.ts'

it('prices a token at 39 billionths of a euro and an image at a fifth of one, as the specification does', () => {
  const image = 200_000_000_000n
  expect(readPrices(DEFAULT_PRICES)).toEqual({ decisions: 39_000n, generations: image, edits: image })
})

it('takes a price that a single unit can be charged with exactly, and no other', () => {
  expect(readPrices({ ...DEFAULT_PRICES, decisions: { amount: '0.000001', per: 1_000_000 } })).toMatchObject({
    decisions: 1n,
  })
  expect(() => readPrices({ ...DEFAULT_PRICES, decisions: { amount: '1', per: 3 } })).toThrow(
    /^prices\.decisions: must come to at most 12/,
  )
})

it.each([0, -1, 1.5, Number.NaN])('refuses a price for %s units', (per) => {
  expect(() => readPrices({ ...DEFAULT_PRICES, edits: { amount: '1', per } })).toThrow(
    /^prices\.edits\.per: must be a whole number/,
  )
})
