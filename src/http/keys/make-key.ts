import { randomBytes } from 'node:crypto'
import { digest } from '../digest.ts'

/** So much of a key may be shown: it tells keys apart, and leaves over 200 bits to guess. */
const PREFIX_LENGTH = 9

/** A new key, which is shown once, and what is kept of it. */
export interface FreshKey {
  readonly key: string
  readonly kept: { readonly sha256: string; readonly prefix: string; readonly created: string }
}

export function makeKey(): FreshKey {
  const key = `tsr_${randomBytes(32).toString('base64url')}`
  return {
    key,
    kept: {
      sha256: digest(key),
      prefix: key.slice(0, PREFIX_LENGTH),
      created: new Date().toISOString(),
    },
  }
}
