import { expect, it } from 'vitest'
import { writeTokenizer } from './gguf-tokenizer.ts'

it('refuses a token that would take half a minute to cut, with its number', () => {
  const metadata = new Map(
    Object.entries({
      model: 'llama',
      tokens: ['a', 'x'.repeat(100_000)],
      token_type: Float64Array.of(1, 1),
      scores: Float64Array.of(0, 0),
      add_space_prefix: false,
    }).map(([key, value]) => [`tokenizer.ggml.${key}`, value]),
  )
  expect(() => writeTokenizer({ path: '/m.gguf', metadata, tensors: new Map() })).toThrow(
    'expected tokens of at most 1024 characters as tokenizer.ggml.tokens, got token 1 of 100000 characters',
  )
})
