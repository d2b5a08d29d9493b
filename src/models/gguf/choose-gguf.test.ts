import { expect, it } from 'vitest'
import { splitChoice } from './choose-gguf.ts'

it.each([
  ['owner/name:Q4_K_M', 'owner/name', 'Q4_K_M'],
  ['owner/name:sub/file.gguf', 'owner/name', 'sub/file.gguf'],
  ['owner/name', 'owner/name', undefined],
  ['owner/name:', 'owner/name:', undefined],
  ['owner/name:a:b', 'owner/name:a:b', undefined],
  ['name:Q4', 'name:Q4', undefined],
  ['/name:Q4', '/name:Q4', undefined],
  ['owner/:Q4', 'owner/:Q4', undefined],
  [':Q4', ':Q4', undefined],
  ['https://hub/owner', 'https://hub/owner', undefined],
  ['', '', undefined],
])('%s is the model %s, and of its files %s', (model, id, wanted) => {
  expect(splitChoice(model)).toEqual({ id, wanted })
})

it('a name of megabytes, which a request may give, takes no longer than it has letters', () => {
  const started = performance.now()
  const long = 'a/'.repeat(4_000_000)
  expect(splitChoice(long).wanted).toBeUndefined()
  expect(performance.now() - started).toBeLessThan(5000)
})
