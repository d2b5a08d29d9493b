import { expect, it } from 'vitest'
import { describeNotJson } from './describe-not-json.ts'

it.each([
  ['UTF-16', Buffer.from('\uFEFF{"a": 1}', 'utf16le').toString(), 'text in UTF-16, or no text: store it as UTF-8'],
  ['a pointer', 'version https://git-lfs.github.com/spec/v1', expect.stringContaining('git lfs pull')],
  ['a web page', '<!doctype html>', 'something that is not JSON'],
])('%s is named', (_, text, described) => {
  expect(describeNotJson(text)).toEqual(described)
})
