import { InvalidRequestError } from '../../errors/index.ts'

/** Decimal places of an amount: a token costs billionths of a euro, and no charge is ever rounded. */
const PLACES = 12
const UNIT = 10n ** BigInt(PLACES)
/** The first amount that `parseAmount` does not read: it takes nine digits before the point. */
export const AMOUNTS_END = 10n ** 9n * UNIT

/**
 * Reads an amount of money, such as `'0.039'`, into units of 10^-12.
 *
 * @param path Name of the setting, for the error.
 * @throws InvalidRequestError unless it is a decimal number of 0 or more with at most 12 places, as a string
 */
export function parseAmount(text: string, path: string): bigint {
  const [, whole, fraction = ''] = /^(\d{1,9})(?:\.(\d{1,12}))?$/.exec(text) ?? []
  if (whole === undefined) {
    // Of a text it is the form that is wrong, which its kind does not say.
    const more =
      typeof text === 'string' ? 'of at most 9 digits before the point and 12 after it' : `got ${typeof text}`
    throw new InvalidRequestError(path, `must be a decimal number as a string, such as '0.039', ${more}`)
  }
  return BigInt(whole) * UNIT + BigInt(fraction.padEnd(PLACES, '0'))
}

/** The exact decimal of an amount, without trailing zeros. */
export function formatAmount(amount: bigint): string {
  const sign = amount < 0n ? '-' : ''
  const size = amount < 0n ? -amount : amount
  const fraction = (size % UNIT).toString().padStart(PLACES, '0').replace(/0+$/, '')
  return `${sign}${size / UNIT}${fraction === '' ? '' : `.${fraction}`}`
}
