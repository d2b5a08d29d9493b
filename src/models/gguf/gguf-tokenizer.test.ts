import { expect, it } from 'vitest'
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

it('refuses a token that would take half a minute to cut, with its number', () => {
  const gguf = withKeys({ tokens: ['a', 'x'.repeat(100_000)] })
  expect(() => writeTokenizer(gguf)).toThrow(
    'expected tokens of at most 1024 characters as tokenizer.ggml.tokens, got token 1 of 100000 characters',
  )
})
