import { expect, it } from 'vitest'
import { readSize } from './read-size.ts'

it.each([
  ['256MB', 256e6],
  ['1.5GB', 1.5e9],
  ['2.001MB', 2_001_000],
])('%s is %d bytes', (text, bytes) => {
  expect(readSize('--keep-states', text)).toBe(bytes)
})

it.each(['', '256', '256mb', '-1MB', '1.MB', '1e3MB', ' 1MB'])("'%s' is refused with the flag", (text) => {
  expect(() => readSize('--keep-states', text)).toThrow(
    `--keep-states: must be a size such as 256MB or 1.5GB, got '${text}'`,
  )
})
