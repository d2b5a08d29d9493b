import { randomBytes } from 'node:crypto'
import type { KeyConfig } from './key-config.ts'
import { hash } from './static-keys.ts'

/** So much of a key may be shown: it tells keys apart, and leaves 224 bits to guess. */
const PREFIX_LENGTH = 9

/** A new key, and what is kept of it: its SHA-256 and how it begins. */
export function makeKey(settings: Omit<KeyConfig, 'key' | 'sha256' | 'prefix' | 'created'>) {
  const key = `tsr_${randomBytes(32).toString('base64url')}`
  const entry = {
    ...settings,
    sha256: hash(key).toString('hex'),
    prefix: key.slice(0, PREFIX_LENGTH),
    created: new Date().toISOString(),
  } satisfies KeyConfig
  return { key, entry }
}
