import { expect, it } from 'vitest'
import { readDuration } from './read-duration.ts'

it.each([
  ['25s', 25_000],
  ['500ms', 500],
  ['1.5m', 90_000],
  ['0s', 0],
  ['12h', 43_200_000],
  ['90d', 7_776_000_000],
  ['16.1s', 16_100],
  ['64.1s', 64_100],
  ['0.4ms', 0],
])('%s is %i milliseconds', (text, milliseconds) => {
  expect(readDuration('--grace', text)).toBe(milliseconds)
})

it.each(['', '25', '-1s', '1w', 's', '1e3s', '9999999s'])('%j is refused by the name of its flag', (text) => {
  expect(() => readDuration('--grace', text)).toThrow(
    `--grace: must be a duration such as 25s, 500ms or 2m, got '${text}'`,
  )
})
