import { describe, expect, it } from 'vitest'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { loadTokenizer } from './tokenizer.ts'

const REGEX = { type: 'Split', pattern: { Regex: String.raw`\p{L}+|\p{N}` }, behavior: 'Isolated', invert: false }
const BLANK = { ...REGEX, pattern: { String: ' ' } }
const BYTES = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false }
const WORDS = { ...BYTES, use_regex: true }
const sequence = (...pretokenizers: object[]) => ({ type: 'Sequence', pretokenizers })

/** A tokenizer that knows these words, each as a whole, and no others. */
function load(
  words: readonly string[],
  stages: { added_tokens?: object[]; normalizer?: object; pre_tokenizer: object },
) {
  const vocab = Object.fromEntries(['<unk>', ...new Set(words)].map((word, id) => [word, id]))
  const model = { type: 'BPE', vocab, merges: [], ignore_merges: true, unk_token: '<unk>' }
  const readText = async () =>
    JSON.stringify({ model, normalizer: null, post_processor: null, decoder: null, ...stages })
  return loadTokenizer({ location: '/m', readText } as unknown as ModelFiles)
}

describe('a text is cut into the words of the tokenizers library', () => {
  it.each([
    [
      { type: 'Whitespace' },
      "für a\u0301b, 日本語 don't x²\u0085½ a\u200db",
      ['für', 'a\u0301b', ',', '日本語', 'don', "'", 't', 'x', '²', '½', 'a\u200db'],
    ],
    [{ type: 'WhitespaceSplit' }, 'a\u0085b\ufeffc\u3000d, e', ['a', 'b\ufeffc', 'd,', 'e']],
    [{ type: 'Punctuation' }, 'a$$b,,c“d”', ['a', '$', '$', 'b', ',', ',', 'c', '“', 'd', '”']],
    [{ type: 'Punctuation', behavior: 'Contiguous' }, 'a$$b,,c“d”', ['a', '$$', 'b', ',,', 'c', '“', 'd', '”']],
    [{ ...REGEX, behavior: 'Removed', invert: true }, 'ab12 c!', ['ab', '1', '2', 'c']],
    [{ ...REGEX, pattern: { String: '-' } }, 'a--b', ['a', '-', '-', 'b']],
  ])('%j', async (pre_tokenizer, text, words) => {
    // Each part of the text is a token, so that every way to cut it would be seen.
    const starts = [...text].keys()
    const parts = [...starts].flatMap((start) => [...text].map((_one, length) => text.slice(start, start + length + 1)))
    const { encode } = await load(parts, { pre_tokenizer })
    const distinct = [...new Set(parts)]
    expect(encode(text).map((id) => distinct[id - 1])).toEqual(words)
  })

  it('each letter of which is lowered by itself, whatever it was written as', async () => {
    const normalizer = { type: 'Sequence', normalizers: [{ type: 'NFKC' }, { type: 'Lowercase' }] }
    const { encode } = await load(['οδοσ', 'οσ'], { normalizer, pre_tokenizer: { type: 'Whitespace' } })
    expect(encode('ΟΔΟΣ Ο\u{1d6ba}')).toEqual([1, 2])
  })
})

it('letters that are added tokens are found in texts, as those of DeepSeek, and names of tokens are not', async () => {
  const added_tokens = ['ü', '<tool>'].map((content, at) => ({ id: 100 + at, content, special: false }))
  const pre_tokenizer = { type: 'Whitespace' }
  const { encode } = await load(['f', 'r', '<', 'tool', '>'], { added_tokens, pre_tokenizer })
  // The tokenizers library finds both.
  expect(encode('für <tool>')).toEqual([1, 100, 2, 3, 4, 5])
})

it.each(['single_word', 'lstrip', 'rstrip'])('but not those that are found in some places only: %s', async (flag) => {
  const added_tokens = [{ id: 100, content: 'ü', special: false, [flag]: true }]
  const { encode } = await load(['f', 'r'], { added_tokens, pre_tokenizer: { type: 'Whitespace' } })
  expect(encode('für')).not.toContain(100)
})

describe('a pre_tokenizer', () => {
  const spaces = { type: 'Replace', pattern: { String: ' ' }, content: '▁' }

  it.each([
    ['GPT-2', WORDS],
    ['Qwen and Llama 3', sequence(REGEX, BYTES)],
    ['cl100k', sequence({ ...REGEX, behavior: 'Removed', invert: true }, BYTES)],
    ['SmolLM', sequence({ type: 'Digits', individual_digits: true }, WORDS)],
    ['DeepSeek', sequence(REGEX, REGEX, { type: 'Digits', individual_digits: true }, BYTES)],
    ['Falcon', sequence({ type: 'Punctuation', behavior: 'Contiguous' }, WORDS, { type: 'Digits' }, REGEX)],
    ['GPT-2 in a list of lists', sequence(sequence(WORDS))],
  ])('as that of %s is read', async (_, pre_tokenizer) => {
    expect((await load(['ab'], { pre_tokenizer })).encode('ab')).toEqual([1])
  })

  it('as that of Gemma, which finds no blanks any more, is read', async () => {
    const pre_tokenizer = { ...BLANK, behavior: 'MergedWithPrevious' }
    expect((await load(['a▁▁b▁c'], { normalizer: spaces, pre_tokenizer })).encode('a  b c')).toEqual([1])
    const { encode } = await load(['a▁b'], { normalizer: spaces, pre_tokenizer: sequence(pre_tokenizer) })
    expect(encode('a b')).toEqual([1])
    const after = { type: 'Sequence', normalizers: [{ type: 'NFKC' }, spaces] }
    expect((await load(['a▁b'], { normalizer: after, pre_tokenizer })).encode('a\u00a0b')).toEqual([1])
    // Compatibility forms of blanks become blanks behind it.
    const before = { type: 'Sequence', normalizers: [spaces, { type: 'NFKC' }] }
    await expect(load(['a▁b'], { normalizer: before, pre_tokenizer })).rejects.toThrow('leaves no blanks')
  })

  it.each([
    [{ ...REGEX, behavior: 'Removed' }, 'pre_tokenizer.invert: expected true beside Removed'],
    [{ ...REGEX, invert: true }, 'pre_tokenizer.invert: expected true beside Removed'],
    [{ ...REGEX, behavior: 'MergedWithNext' }, 'pre_tokenizer.behavior: "MergedWithNext", not "Isolated" or'],
    [sequence({ ...REGEX, behavior: 'Contiguous' }, BYTES), 'pre_tokenizer.pretokenizers.0.behavior: "Contiguous"'],
    [
      { ...REGEX, behavior: 'MergedWithPrevious' },
      'pre_tokenizer.behavior: expected MergedWithPrevious beside a blank',
    ],
    [{ ...BLANK, behavior: 'MergedWithPrevious' }, 'pre_tokenizer.behavior: expected MergedWithPrevious beside a norm'],
    [{ type: 'Punctuation', behavior: 'Removed' }, 'pre_tokenizer.behavior: "Removed", not "Isolated" or "Contiguous"'],
    [sequence(REGEX, { ...BYTES, add_prefix_space: true }), 'pretokenizers.1.add_prefix_space: true, not false'],
    [{ ...WORDS, add_prefix_space: true }, 'pre_tokenizer.add_prefix_space: true, not false'],
  ])('that would be read as another is refused by name: %j', async (pre_tokenizer, message) => {
    await expect(load([], { pre_tokenizer })).rejects.toThrow(message)
  })
})
