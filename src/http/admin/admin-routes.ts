import { listKeys } from '../keys/key-book.ts'
import type { KeyStore } from '../keys/key-store.ts'
import type { StoredKeys } from '../keys/stored-keys.ts'
import type { Route } from '../route.ts'
import type { Ledger, Payer } from '../usage/ledger.ts'
import type { UsageStore } from '../usage/usage-store.ts'
import { AuditTrail } from './audit-trail.ts'
import { AuditedKeys } from './audited-keys.ts'
import { createKeyRoutes } from './key-routes.ts'
import { createReportRoutes } from './report-routes.ts'

interface Parts {
  readonly store: UsageStore
  readonly ledger: Ledger
  /** Keys that the server was given; undefined where it has none. */
  readonly given: KeyStore | undefined
  /** Keys of the store, as requests are checked against. */
  readonly stored: StoredKeys
}

/** Routes under `/v1/admin`, for keys with the scope `admin`. */
export function createAdminRoutes({ store, ledger, given, stored }: Parts): Route[] {
  const trail = new AuditTrail(store)
  const keys = new AuditedKeys(stored, trail)
  const accountsGiven = () => given?.accounts?.() ?? []
  const isGiven = (account: string) => accountsGiven().some(({ id }) => id === account)
  const payers = async (): Promise<Payer[]> => {
    const listed = listKeys(await keys.read()).map(({ account, freeTokens, prepaid }) => ({
      id: account,
      ...(freeTokens !== undefined && { freeTokens }),
      ...(prepaid !== undefined && { prepaid }),
    }))
    return [...listed, ...accountsGiven()]
  }
  return [...createKeyRoutes(keys, isGiven), ...createReportRoutes({ ledger, trail, payers })]
}
