import { expect, it } from 'vitest'
import { longestWindow } from './open-language-model.ts'

it('reads as much at once as two gigabytes of keys and values are for', () => {
  const qwen3 = { num_hidden_layers: 28, num_key_value_heads: 8, head_dim: 128 }
  expect(longestWindow(qwen3, 'float32')).toBe(9362)
  expect(longestWindow(qwen3, 'float16')).toBe(18_724)
})
