import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Tokenizer as HubTokenizer } from '@huggingface/tokenizers'
import { assert, asyncProperty, array, constantFrom, integer, property, string, tuple } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { ModelFormatError } from '../../errors/index.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { BytePairEncoder } from './byte-pair-encoder.ts'
import { loadTokenizer } from './tokenizer.ts'

const QWEN_SPLIT =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
/** The printable stand-ins of the 256 bytes in byte-level BPE (GPT-2's table). */
const PRINTABLE = Array.from({ length: 256 }, (_, byte) => byte).filter(
  (byte) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174,
)
const BYTES = Array.from({ length: 256 }, (_, index) =>
  String.fromCharCode(PRINTABLE[index] ?? 256 + index - PRINTABLE.length),
)

type Rule = readonly [string, string]

/** A vocabulary with as many rules as there are pairs of numbers; each joins two tokens that exist by then. */
function makeRules(alphabet: readonly string[], pairs: readonly (readonly [number, number])[]) {
  const tokens = [...alphabet]
  const merges: Rule[] = []
  for (const [a, b] of pairs) {
    const rule: Rule = [tokens[a % tokens.length] as string, tokens[b % tokens.length] as string]
    merges.push(rule)
    if (!tokens.includes(rule.join(''))) tokens.push(rule.join(''))
  }
  return { merges, vocab: Object.fromEntries(tokens.map((token, id) => [token, id])) }
}

function makeFile(pairs: readonly (readonly [number, number])[], changes: object = {}) {
  return {
    added_tokens: [{ id: 9999, content: '<state>', special: true }],
    normalizer: { type: 'NFC' },
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: QWEN_SPLIT }, behavior: 'Isolated', invert: false },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
      ],
    },
    post_processor: null,
    decoder: { type: 'ByteLevel' },
    model: { type: 'BPE', ...makeRules(BYTES, pairs), ...changes },
  }
}

async function load(file: object) {
  const folder = temporaryFolder()
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(file))
  return loadTokenizer(openFolder(folder))
}

const numbers = (most: number, count: number) =>
  array(tuple(integer({ min: 0, max: most }), integer({ min: 0, max: most })), { maxLength: count })

describe('BytePairEncoder', () => {
  it('joins in the same order as the library, whatever the rules', () => {
    const alphabet = ['a', 'b', 'c', 'd']
    assert(
      property(numbers(30, 25), array(constantFrom(...alphabet), { minLength: 1, maxLength: 60 }), (pairs, letters) => {
        const model = makeRules(alphabet, pairs)
        const library = new HubTokenizer(
          {
            added_tokens: [],
            normalizer: null,
            pre_tokenizer: null,
            post_processor: null,
            decoder: null,
            model: { type: 'BPE', ...model },
          },
          {},
        )
        const ids = new BytePairEncoder(model.vocab, model.merges).encode(letters.join(''))
        expect(ids).toEqual(library.encode(letters.join(''), { add_special_tokens: false }).ids)
      }),
    )
  })

  it('joins the first of equal pairs, and a word of many characters to few tokens', () => {
    const { vocab, merges } = makeRules(
      ['a'],
      [
        [0, 0],
        [1, 1],
        [2, 2],
      ],
    )
    const encoder = new BytePairEncoder(vocab, merges)
    expect(encoder.encode('aaa')).toEqual([1, 0])
    expect(encoder.encode('a'.repeat(80_001))).toEqual([...Array.from({ length: 10_000 }, () => 3), 0])
  })

  it('names no text when a token that rules need is missing', () => {
    expect(() => new BytePairEncoder({ a: 0 }, [['a', 'secret']])).toThrow(/^(?!.*secret).*lacks a token/)
  })
})

describe('loadTokenizer', () => {
  it('gives the ids of the library for any text, first seen and remembered', async () => {
    const file = makeFile(
      Array.from({ length: 400 }, (_, index): [number, number] => [60 + ((index * 7) % 60), 60 + ((index * 13) % 200)]),
    )
    const tokenizer = await load(file)
    const library = new HubTokenizer({ ...file, added_tokens: [] }, {})
    const text = array(string({ unit: 'binary', maxLength: 12 }), { maxLength: 12 })
    await assert(
      asyncProperty(text, async (parts) => {
        const sample = `${parts.join(' ')} The state's <state> naïve 日本 😀\r\n\n  ${parts.join('')}\ud800`
        const expected = library.encode(sample, { add_special_tokens: false }).ids
        expect(tokenizer.encode(sample)).toEqual(expected)
        expect(tokenizer.encode(sample)).toEqual(expected)
        tokenizer.forget()
      }),
    )
    expect(tokenizer.encode('')).toEqual([])
  })

  it('puts marks in order as the library does, in runs of up to 256', async () => {
    const file = makeFile([])
    const tokenizer = await load(file)
    const library = new HubTokenizer({ ...file, added_tokens: [] }, {})
    // Letters, marks of several classes, marks that join with what is before them, jamo, a joiner.
    const parts = constantFrom(
      'a',
      'e',
      ' ',
      '\u0300',
      '\u0315',
      '\u0323',
      '\u0345',
      '\u0cc6',
      '\u0cc2',
      '\u1100',
      '\u1161',
      '\u11a8',
      '\u200d',
      '\ud55c',
    )
    assert(
      property(array(parts, { maxLength: 200 }), (characters) => {
        const text = characters.join('')
        expect(tokenizer.encode(text)).toEqual(library.encode(text, { add_special_tokens: false }).ids)
      }),
    )
    const long = `a${'\u0315\u0300'.repeat(2000)}`
    const bytes = (text: string) => tokenizer.encode(text).toSorted((one, other) => one - other)
    // Ordered in pieces: the same marks, some of them elsewhere.
    expect(tokenizer.encode(long)).not.toEqual(library.encode(long, { add_special_tokens: false }).ids)
    expect(bytes(long)).toEqual(
      library.encode(long, { add_special_tokens: false }).ids.toSorted((one, other) => one - other),
    )
  })

  it('reads rules of two texts like rules joined by a space', async () => {
    const file = makeFile([
      [64, 65],
      [66, 67],
      [256, 257],
    ])
    const joined = { ...file, model: { ...file.model, merges: file.model.merges.map((rule) => rule.join(' ')) } }
    const text = 'abcd bcda ABCDEF'
    expect((await load(joined)).encode(text)).toEqual((await load(file)).encode(text))
  })

  it('cuts at the blanks and numbers of Unicode, as the tokenizers library does', async () => {
    const bytes = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true }
    const pretokenizers = [{ type: 'Digits', individual_digits: true }, bytes]
    // Two bytes are joined only within a word: the last of U+FEFF and of U+0085 with a mark behind it, and two blanks.
    const merges = ['¿ !', 'ħ !', 'Ġ Ġ']
    const vocab = Object.fromEntries([...BYTES, '¿!', 'ħ!', 'ĠĠ'].map((token, id) => [token, id]))
    const pre_tokenizer = { type: 'Sequence', pretokenizers }
    const { encode } = await load({ ...makeFile([], { vocab, merges }), normalizer: null, pre_tokenizer })
    expect(encode('\ufeff!')).toEqual(['ï', '»', '¿!'].map((token) => vocab[token]))
    expect(encode('\u0085!')).toEqual(['Â', 'ħ', '!'].map((token) => vocab[token]))
    expect(encode('  ²')).toEqual(['ĠĠ', 'Â', '²'].map((token) => vocab[token]))
  })

  it('reads what the file says of characters that are no tokens', async () => {
    const file = (changes: object) => ({
      ...makeFile([], { vocab: { a: 0, '<unk>': 1 }, merges: [], ...changes }),
      normalizer: null,
      pre_tokenizer: null,
    })
    const text = 'a\u{1f600}\u0006a'
    expect((await load(file({}))).encode(text)).toEqual([0, 0])
    expect((await load(file({ unk_token: '<unk>' }))).encode(text)).toEqual([0, 1, 1, 0])
    expect((await load(file({ unk_token: '<unk>', fuse_unk: true }))).encode(text)).toEqual([0, 1, 0])
  })

  it('never makes a structural token from text', async () => {
    const tokenizer = await load(makeFile([]))
    expect(tokenizer.structural('<state>')).toBe(9999)
    expect(tokenizer.encode('<state>')).toHaveLength('<state>'.length)
  })

  it.each([
    ['another kind of model', { type: 'Unigram' }],
    ['random dropping of rules', { dropout: 0.1 }],
    ['a rule that makes no token', { merges: [['a', 'b']] }],
    ['no rules', { merges: undefined }],
  ])('refuses a file with %s', async (_, changes) => {
    await expect(load(makeFile([], changes))).rejects.toThrow(ModelFormatError)
  })
})

describe('a file that would be read wrongly', () => {
  const RULES: [number, number][] = [[1, 2]]
  const model = (changes: object) => ({ model: { ...makeFile(RULES).model, ...changes } })
  const vocab = makeFile(RULES).model.vocab

  it.each([
    [{ normalizer: { type: 'Prepend', prepend: '_' } }, 'normalizer'],
    [{ normalizer: { type: 'Sequence', normalizers: [{ type: 'Strip' }] } }, 'normalizer'],
    [{ normalizer: { type: 'Unheard' } }, 'normalizer'],
    [{ normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '$&' } }, 'normalizer'],
    [{ pre_tokenizer: { type: 'Unheard' } }, 'pre_tokenizer'],
    [
      { pre_tokenizer: { type: 'Split', pattern: { Regex: String.raw`\R` }, behavior: 'Isolated', invert: false } },
      'pre_tokenizer',
    ],
    [{ added_tokens: [{ id: -1, content: 'x' }] }, 'added_tokens'],
    [{ added_tokens: [{ id: 1e12, content: 'x' }] }, 'added_tokens'],
    [model({ vocab: { ...vocab, x: -1 } }), 'model.vocab'],
    [model({ vocab: { ...vocab, x: 2.5 } }), 'model.vocab'],
    [model({ vocab: { ...vocab, x: '3' } }), 'model.vocab'],
    [model({ vocab: { ...vocab, x: 1e9 } }), 'model.vocab'],
    [model({ vocab: { ...vocab, ['x'.repeat(1e6)]: -1 } }), 'model.vocab'],
    [model({ merges: [{ toString: null }] }), 'model.merges.0'],
    [model({ merges: ['a b c'] }), 'model.merges.0'],
  ])('is refused by the name of the field: %#', async (changes, field) => {
    const error: Error = await load({ ...makeFile(RULES), ...changes }).then(
      () => expect.unreachable(),
      (thrown: Error) => thrown,
    )
    expect(error).toBeInstanceOf(ModelFormatError)
    expect(error.message).toContain(field)
    expect(error.message.length).toBeLessThan(1000)
  })
})
