import { expect, it } from 'vitest'
import { readNumber } from './read-number.ts'

it.each([
  ['0.7', 0.7],
  ['1', 1],
  ['-3', -3],
])('takes the number %j for %d', (text, value) => {
  expect(readNumber('--flag', text)).toBe(value)
})

it.each(['', ' ', 'x', '0,7', 'NaN'])('refuses %j as a number, naming the flag', (text) => {
  expect(() => readNumber('--flag', text)).toThrow(`--flag: must be a number, got '${text}'`)
})
