/** What one endpoint answered in one month. */
export interface UsageRow {
  readonly requests: number
  /** Input tokens on `decisions`. */
  readonly units: number
  /** Part of the units that the allowance paid. */
  readonly freeUnits: number
  /** In units of 10^-12 EUR. */
  readonly cost: bigint
}

/** Units set aside for a request that runs. */
export interface Hold {
  readonly month: string
  readonly freeUnits: number
  readonly cost: bigint
  /** Milliseconds since 1970. A hold outlives its process only when that crashed, and then no longer than this. */
  readonly expires: number
}

/** The money and tokens of one key. */
export interface Account {
  /** All that was ever charged, in units of 10^-12 EUR. */
  spent: bigint
  /** Month such as `2026-11`, then endpoint. */
  readonly months: Map<string, Map<string, UsageRow>>
  readonly holds: Map<string, Hold>
}

interface AccountDocument {
  readonly version: 1
  readonly spent: string
  readonly months: readonly (readonly [
    string,
    readonly (readonly [string, Omit<UsageRow, 'cost'> & { cost: string }])[],
  ])[]
  readonly holds: readonly (readonly [string, Omit<Hold, 'cost'> & { cost: string }])[]
}

export function readAccount(document: string | undefined): Account {
  if (document === undefined) return { spent: 0n, months: new Map(), holds: new Map() }
  const { spent, months, holds } = JSON.parse(document) as AccountDocument
  return {
    spent: BigInt(spent),
    months: new Map(months.map(([month, rows]) => [month, new Map(rows.map(withBigInt))])),
    holds: new Map(holds.map(withBigInt)),
  }
}

export function writeAccount({ spent, months, holds }: Account): string {
  const document: AccountDocument = {
    version: 1,
    spent: String(spent),
    months: [...months].map(([month, rows]) => [month, [...rows].map(withText)]),
    holds: [...holds].map(withText),
  }
  return JSON.stringify(document)
}

function withBigInt<T extends { readonly cost: string }>([name, row]: readonly [string, T]) {
  return [name, { ...row, cost: BigInt(row.cost) }] as const
}

function withText<T extends { readonly cost: bigint }>([name, row]: readonly [string, T]) {
  return [name, { ...row, cost: String(row.cost) }] as const
}
