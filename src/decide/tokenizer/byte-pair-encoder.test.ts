import { expect, it } from 'vitest'
import { BytePairEncoder } from './byte-pair-encoder.ts'

it('leaves out characters that are no tokens, and joins what then stands together, as the tokenizers library does', () => {
  const encoder = new BytePairEncoder({ a: 0, b: 1, ab: 2 }, [['a', 'b']])
  expect(encoder.encode('a\u0006b')).toEqual([2])
  expect(encoder.encode('\u0006')).toEqual([])
  expect(encoder.encode(`${'\u0006'.repeat(40)}${'ab'.repeat(40)}`)).toEqual(Array.from({ length: 40 }, () => 2))
})

it('writes characters that are no tokens as the unknown token where there is one, a run of them as one where so wanted', () => {
  const vocabulary = { a: 0, b: 1, '?': 2, ab: 3 }
  const text = 'a\u0006\u0007b\u0006'
  expect(new BytePairEncoder(vocabulary, [['a', 'b']], { unknown: '?' }).encode(text)).toEqual([0, 2, 2, 1, 2])
  expect(new BytePairEncoder(vocabulary, [['a', 'b']], { unknown: '?', fuseUnknown: true }).encode(text)).toEqual([
    0, 2, 1, 2,
  ])
})

it('a word that is a token is that token where merges are to be ignored', () => {
  const vocabulary = { a: 0, b: 1, c: 2, ab: 3, bc: 4, abc: 5 }
  const merges = [
    ['b', 'c'],
    ['a', 'b'],
  ] as const
  expect(new BytePairEncoder(vocabulary, merges).encode('abc')).toEqual([0, 4])
  expect(new BytePairEncoder(vocabulary, merges, { ignoreMerges: true }).encode('abc')).toEqual([5])
})

it('characters that are no tokens are spelt in bytes where there are tokens of these', () => {
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`)
  const vocabulary = Object.fromEntries([...bytes, 'a'].map((token, id) => [token, id]))
  expect(new BytePairEncoder(vocabulary, [], { byteFallback: true }).encode('a€')).toEqual([256, 0xe2, 0x82, 0xac])
  expect(() => new BytePairEncoder({ a: 0 }, [], { byteFallback: true })).toThrow(RangeError)
})
