import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatAmount, parseAmount } from './money.ts'

describe('an amount', () => {
  it.each([
    ['0.039', 39_000_000_000n],
    ['0', 0n],
    ['0.20', 200_000_000_000n],
    ['5', 5_000_000_000_000n],
    ['0.000000000001', 1n],
    ['999999999.999999999999', 999_999_999_999_999_999_999n],
  ])('of %s is read exactly', (text, amount) => {
    expect(parseAmount(text, 'x')).toBe(amount)
  })

  it.each(['', '-1', '1,5', '.5', '5.', '1e3', 'NaN', '0.0000000000001', '1000000000', ' 1', '0x1', '٣'])(
    'of %j is refused',
    (text) => {
      expect(() => parseAmount(text, 'prepaid')).toThrow(/^prepaid: must be a decimal number/)
    },
  )

  it('of too many digits is told how many there may be', () => {
    const told = /such as '0\.039', of at most 9 digits before the point and 12 after it$/
    expect(() => parseAmount('1000000000', 'amount')).toThrow(told)
    expect(() => parseAmount(`0.${'1'.repeat(13)}`, 'amount')).toThrow(told)
  })

  it('comes back as the shortest decimal, whatever it is', () => {
    expect(formatAmount(parseAmount('0.20', 'x'))).toBe('0.2')
    expect(formatAmount(-39_000n)).toBe('-0.000000039')
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 20n }), (amount) => {
        expect(parseAmount(formatAmount(amount), 'x')).toBe(amount)
      }),
    )
  })
})
