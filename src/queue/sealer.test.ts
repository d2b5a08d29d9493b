import { randomBytes } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { createSealer } from './sealer.ts'

const secret = () => randomBytes(32).toString('base64')

it('takes no two keys of one id, of which the second would take the place of the first', () => {
  const [first, second] = [secret(), secret()]
  const refused = 'keys: must have an id each, got two of the id k1; give a new key another id'
  expect(() => createSealer(`k1:${first},k2:${second},k1:${second}`)).toThrow(refused)
  const sealed = createSealer(`k1:${first}`).seal('text', 'call')
  expect(createSealer(`k2:${second},k1:${first}`).open(sealed, 'call')).toBe('text')
})

it('names the variable where keys of the environment are none', () => {
  try {
    vi.stubEnv('TESSERA_QUEUE_KEYS', 'k1:short')
    expect(() => createSealer()).toThrow(/^TESSERA_QUEUE_KEYS: must be id:base64 of 32 bytes/)
    vi.stubEnv('TESSERA_QUEUE_KEYS', `k1:${secret()},k1:${secret()}`)
    expect(() => createSealer()).toThrow(/^TESSERA_QUEUE_KEYS: must have an id each/)
  } finally {
    vi.unstubAllEnvs()
  }
})
