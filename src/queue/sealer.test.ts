import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createSealer } from './sealer.ts'

const secret = () => randomBytes(32).toString('base64')

it('takes no two keys of one id, of which the second would take the place of the first', () => {
  const [first, second] = [secret(), secret()]
  const refused = 'keys: must have an id each, got two of the id k1; give a new key another id'
  expect(() => createSealer(`k1:${first},k2:${second},k1:${second}`)).toThrow(refused)
  const sealed = createSealer(`k1:${first}`).seal('text', 'call')
  expect(createSealer(`k2:${second},k1:${first}`).open(sealed, 'call')).toBe('text')
})
