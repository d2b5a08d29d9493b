import { InvalidRequestError } from '../../errors/index.ts'
import { count, readOption } from '../../options/index.ts'
import { parseAmount } from './money.ts'

/** A price in EUR: `amount` for every `per` units. */
export interface Price {
  /**
   * Decimal number as a string.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, prices: { generations: { amount: '0.10', per: 1 } } })
   * ```
   */
  readonly amount: string
  /**
   * Units that cost that much, 1 or more: tokens of decisions, else pictures.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, prices: { decisions: { amount: '0.05', per: 1_000_000 } } })
   * ```
   */
  readonly per: number
}

/** What answers cost, by endpoint. */
export interface Prices {
  /**
   * For input tokens; output is free.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, prices: { decisions: { amount: '0.05', per: 1_000_000 } } })
   * ```
   */
  readonly decisions: Price
  /**
   * For images generated.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, prices: { generations: { amount: '0.10', per: 1 } } })
   * ```
   */
  readonly generations: Price
  /**
   * For images that edits return.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, prices: { edits: { amount: '0.10', per: 1 } } })
   * ```
   */
  readonly edits: Price
}

export type Endpoint = keyof Prices

/** Prices of the specification, section 8. */
export const DEFAULT_PRICES: Prices = {
  decisions: { amount: '0.039', per: 1_000_000 },
  generations: { amount: '0.20', per: 1 },
  edits: { amount: '0.20', per: 1 },
}

/**
 * The price of one unit of each endpoint, in units of 10^-12 EUR.
 *
 * @throws InvalidRequestError for a price that is no decimal, or of which a single unit has more than 12 places
 */
export function readPrices(prices: Prices): Readonly<Record<Endpoint, bigint>> {
  const entries = Object.entries(prices).map(([endpoint, { amount, per }]: [string, Price]) => {
    const path = `prices.${endpoint}`
    readOption(`${path}.per`, count(1), per)
    const total = parseAmount(amount, `${path}.amount`)
    if (total % BigInt(per) !== 0n) {
      throw new InvalidRequestError(path, 'must come to at most 12 decimal places for a single unit')
    }
    return [endpoint, total / BigInt(per)]
  })
  return Object.fromEntries(entries) as Record<Endpoint, bigint>
}
