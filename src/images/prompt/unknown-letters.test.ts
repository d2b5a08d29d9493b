import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { ImageManifest } from '../image-manifest.ts'
import { findUnknownLetters } from './unknown-letters.ts'

const manifest = readFileSync(new URL('../../../models/image-mini/tessera.json', import.meta.url), 'utf8')
const { letters } = JSON.parse(manifest) as ImageManifest

it.each([
  ['the word "Café"', 'writes not é;'],
  ['the word "Cafe\u0301"', 'writes not é;'],
  ['“ÄÖ” above "Ä 漢🍎"', 'writes not Ä Ö 漢 🍎;'],
  ['the word "Strawberry shop"', 'writes no more than 12 letters in a text;'],
  ['"£" above "Strawberry shop"', 'writes not £, and no more than 12 letters in a text;'],
])('letters in quotes that a small model does not write are said: %j', (prompt, said) => {
  const [warning, ...others] = findUnknownLetters(prompt, letters)
  expect(others).toEqual([])
  expect(warning).toMatchObject({ code: 'unknown_letters', path: 'prompt' })
  expect(warning!.message).toContain(said)
})

it.each(['the word "SALE 50!"', 'a café', '"Strawberries"', '"Tee & \'s?"', '""'])('others are not: %j', (prompt) =>
  expect(findUnknownLetters(prompt, letters)).toEqual([]),
)

it('nothing is said of a model that was trained on language at large', () => {
  expect(findUnknownLetters('the word "Café"', undefined)).toEqual([])
})
