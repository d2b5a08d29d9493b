import type { Session, Tensor } from '../../backends/backend.ts'

/** Keys and values of tokens in every layer, by name: [tokens, width] each. */
export type KeysAndValues = Readonly<Record<string, Tensor>>

/** Keys and values can be inverted to the text they came from, and nobody knows when their memory is used again. */
export function wipe(session: Pick<Session, 'free'>, keysAndValues: KeysAndValues): void {
  for (const { data } of Object.values(keysAndValues)) data.fill(0 as never)
  session.free(keysAndValues)
}

/** Bytes in memory. */
export function weighKeysAndValues(keysAndValues: KeysAndValues): number {
  return Object.values(keysAndValues).reduce((sum, { data }) => sum + data.byteLength, 0)
}
