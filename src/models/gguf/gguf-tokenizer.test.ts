import { describe, expect, it } from 'vitest'
import { writeTokenizer, writeTokenizerConfig } from './gguf-tokenizer.ts'

/** A vocabulary of two letters, and what else a file says. */
const withKeys = (keys: object) => {
  const vocabulary = {
    model: 'llama',
    tokens: ['a', 'b'],
    token_type: Float64Array.of(1, 1),
    scores: Float64Array.of(0, 0),
  }
  const all = { ...vocabulary, add_space_prefix: false, ...keys }
  const metadata = new Map(Object.entries(all).map(([key, value]) => [`tokenizer.ggml.${key}`, value]))
  return { path: '/m.gguf', metadata, tensors: new Map(), sources: [] }
}

it.each([2, -1, 0.5])('refuses %d as the unknown token of two', (id) => {
  const said = `expected an id below 2 as tokenizer.ggml.unknown_token_id, got ${id}`
  expect(() => writeTokenizer(withKeys({ unknown_token_id: id }))).toThrow(said)
  expect(() => writeTokenizerConfig(withKeys({ unknown_token_id: id }))).toThrow(said)
})

it.each([2, 2 ** 32 - 1])('has no padding token where %d is that of two', (id) => {
  expect(writeTokenizerConfig(withKeys({ padding_token_id: 1 }))).toMatchObject({ pad_token: 'b' })
  expect(writeTokenizerConfig(withKeys({ padding_token_id: id })).pad_token).toBeUndefined()
})

it('refuses a token that would take half a minute to cut, with its number', () => {
  const gguf = withKeys({ tokens: ['a', 'x'.repeat(100_000)] })
  expect(() => writeTokenizer(gguf)).toThrow(
    'expected tokens of at most 1024 characters as tokenizer.ggml.tokens, got token 1 of 100000 characters',
  )
})

describe('a text begins with a token', () => {
  it.each([
    ['where the file says so', { model: 'gpt2', pre: 'qwen2', bos_token_id: 0, add_bos_token: true }, true],
    ['not where it says otherwise', { bos_token_id: 0, add_bos_token: false }, false],
    ['where it says nothing and is of SentencePiece', { bos_token_id: 0 }, true],
    ['where it says nothing and is cut as Llama 3', { model: 'gpt2', pre: 'llama-bpe', bos_token_id: 0 }, true],
    ['not where it says nothing and is cut otherwise', { model: 'gpt2', pre: 'qwen2', bos_token_id: 0 }, false],
    ['not where it says nothing and names none', {}, false],
  ])('%s', (_, keys, begins) => {
    expect(writeTokenizerConfig(withKeys(keys))).toMatchObject({ add_bos_token: begins })
  })

  it('and what says so is true or false', () => {
    expect(() => writeTokenizerConfig(withKeys({ add_bos_token: 1 }))).toThrow(
      'true or false as tokenizer.ggml.add_bos',
    )
  })
})
