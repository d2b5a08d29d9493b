import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeBase64, encodeBase64 } from './base64.ts'

it('encodes as Node does, and decodes what it encoded', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const text = encodeBase64(bytes)
      expect(text).toBe(Buffer.from(bytes).toString('base64'))
      expect(decodeBase64(text)).toEqual(bytes)
    }),
  )
})

it.each([
  ['aGk', 'hi'],
  ['aGk=', 'hi'],
  ['aG\r\nk=\n', 'hi'],
  ['', ''],
])('decodes %j, forgiving line ends and missing padding', (text, bytes) => {
  expect(Buffer.from(decodeBase64(text)!).toString()).toBe(bytes)
})

it.each(['a', 'aGk==', 'a=Gk', 'aG-_', 'aGk=aGk=', 'äöü', 'data:,x'])('does not take %j', (text) => {
  expect(decodeBase64(text)).toBeUndefined()
})
