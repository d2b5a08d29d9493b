import { expect, it } from 'vitest'
import { modelName } from './model-name.ts'

it.each([
  ['acme/tiny', 'acme/tiny'],
  ['acme/tiny:tiny-Q4_K_M.gguf', 'acme/tiny:tiny-Q4_K_M.gguf'],
  ['acme/tiny:Q8/tiny-Q8_0.gguf', 'acme/tiny:Q8/tiny-Q8_0.gguf'],
  ['./models/mine', 'mine'],
  ['/srv/models/mine.gguf', 'mine.gguf'],
  [String.raw`C:\models\mine`, 'mine'],
  ['C:/models/mine', 'mine'],
])('%s is shown as %s', (id, name) => {
  expect(modelName(id)).toBe(name)
})
