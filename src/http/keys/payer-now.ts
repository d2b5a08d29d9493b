import type { Payer } from '../usage/ledger.ts'
import type { KeyStore } from './key-store.ts'
import type { StoredKeys } from './stored-keys.ts'

/**
 * Says what an account may use now, where that may have changed since its request came. One whose keys are gone may use what it could.
 *
 * @throws StoreUnavailableError
 */
export type PayerNow = (payer: Payer) => Promise<Payer>

/** @param given the keys of the server, which go before those of its store; undefined where it has none */
export function payerNowOf(given: KeyStore | undefined, stored: StoredKeys): PayerNow {
  const find = async (account: string) =>
    given?.accounts?.().find(({ id }) => id === account) ?? (await stored.payer(account))
  return async (payer) => {
    const { freeTokens, prepaid } = (given && (await find(payer.id))) ?? payer
    // A list of accounts that leaves limits out lifts none.
    return {
      ...payer,
      ...(freeTokens !== undefined && { freeTokens }),
      ...(prepaid !== undefined && { prepaid }),
    }
  }
}
