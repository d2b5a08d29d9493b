import { expect, it } from 'vitest'
import { isCodeMissing } from './is-code-missing.ts'

const URL = 'https://app.example/open-decider.js'
const SAID = [
  `Failed to fetch dynamically imported module: ${URL}`,
  `error loading dynamically imported module: ${URL}`,
  'Importing a module script failed.',
]

it.each(SAID)('is what a browser says: %s', (message) => {
  expect(isCodeMissing(new TypeError(message))).toBe(true)
  expect(isCodeMissing(new Error(message))).toBe(false)
})

it('is not what a download says', () => {
  expect(isCodeMissing(new TypeError('Failed to fetch'))).toBe(false)
})
