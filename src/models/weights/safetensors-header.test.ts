import { anything, assert, dictionary, property, string } from 'fast-check'
import { expect, it } from 'vitest'
import { ModelFormatError } from '../../errors/index.ts'
import { parseSafetensorsHeader, readHeaderLength } from './safetensors-header.ts'

const parse = (header: unknown, size = 1000) =>
  parseSafetensorsHeader(
    new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header)),
    'f',
    size,
  )

function expectRefused(header: unknown): void {
  try {
    parse(header)
  } catch (error) {
    expect(error).toBeInstanceOf(ModelFormatError)
    expect((error as Error).message.length).toBeLessThan(1000)
    return
  }
  expect.unreachable('the header was taken')
}

const ENTRY = { dtype: 'F32', shape: [1], data_offsets: [0, 4] }

it.each([
  ['a dtype that is no text', { x: { ...ENTRY, dtype: { toString: null } } }],
  ['a shape of millions', { x: { ...ENTRY, shape: Array.from({ length: 3_000_000 }, () => 1) } }],
  ['a shape of text', { x: { ...ENTRY, shape: 'x'.repeat(1e6) } }],
  ['offsets of millions', { x: { ...ENTRY, data_offsets: Array.from({ length: 1_000_000 }, () => 0) } }],
  ['lists in lists', `{"x":{"dtype":"F32","data_offsets":[0,4],"shape":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`],
  ['a long name', { ['x'.repeat(512)]: { ...ENTRY, dtype: 'F8' } }],
  ['long names that overlap', { ['x'.repeat(512)]: ENTRY, ['y'.repeat(512)]: ENTRY }],
  ['metadata that is no texts', { __metadata__: { a: { b: 1 } }, x: ENTRY }],
])('%s is a format error of bounded length', (_, header) => expectRefused(header))

it.each([
  [512, undefined],
  [513, 'names of tensors of at most 512 characters'],
])('a name of %d characters may be looked for by patterns: refused with %s', (length, refused) => {
  const header = JSON.stringify({ ['x'.repeat(length)]: ENTRY })
  const read = () => parse(header, 8 + header.length + 4)
  if (refused === undefined) expect(read().tensors.size).toBe(1)
  else expect(read).toThrow(refused)
})

it('any header is read or refused, and never anything else', () => {
  const value = anything({ maxDepth: 3 })
  const entries = dictionary(string(), value, { noNullPrototype: true })
  assert(
    property(entries, value, value, value, (others, dtype, shape, data_offsets) => {
      const json = JSON.stringify({ ...others, x: { dtype, shape, data_offsets } }, (_, item) =>
        typeof item === 'bigint' ? Number(item) : item,
      )
      try {
        parse(json)
      } catch (error) {
        expect(error).toBeInstanceOf(ModelFormatError)
        expect((error as Error).message.length).toBeLessThan(1000)
      }
    }),
    { numRuns: 500 },
  )
})

const bytesOf = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))
const CUT = 'the file is cut off, fetch it again'

it.each([
  ['<!DOCTYPE html>', 'a web page'],
  ['PK\x03\x04\x14\0\x08\x08', 'an archive as torch.save writes'],
  ['GGUF\x03\0\0\0\x10', 'a GGUF file'],
  // Lengths of headers that begin with the same bytes as a page and an archive do.
  ['<\x09\0\0\0\0\0\0{', `2364 bytes: ${CUT}`],
  ['PK\0\0\0\0\0\0{', `19280 bytes: ${CUT}`],
])('a file that begins with %j is refused as %s', (text, said) => {
  expect(() => readHeaderLength(bytesOf(text).subarray(0, 8), 'f', text.length)).toThrow(said)
})

it('a file that ends before its tensors is said to be cut off, offsets that are none are not', () => {
  expect(() => parse({ x: { ...ENTRY, shape: [1000], data_offsets: [0, 4000] } })).toThrow(CUT)
  expect(() => parse({ x: { ...ENTRY, data_offsets: [8, 4] } })).toThrow(/got \[8,4\]$/)
})
