import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { listPrompts, SHEET_EDITS, SHEET_PROMPTS } from '../../../bench/eval-images/prompts.ts'
import { findObjectColors } from './object-colors.ts'

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')) as unknown
const { own_colors } = read('models/image-mini/tessera.json') as { own_colors: Parameters<typeof findObjectColors>[1] }
const namedIn = (prompt: string) =>
  findObjectColors(prompt, own_colors).map(({ message }) => /, and not (.+); it takes/.exec(message)?.[1])

describe('colours of objects, to a model whose objects have their own,', () => {
  it.each([
    ['a red apple', 'red apple'],
    ['A BLUE CAR on a white background', 'blue car'],
    ['two yellow big flat cars', 'yellow big flat cars'],
    ['make the apple green', 'apple green'],
    ['a black and white cat, a pink fox', 'white cat, pink fox'],
    ['a red apple and a red apple', 'red apple'],
  ])('are named: %s', (prompt, named) => {
    expect(namedIn(prompt)).toEqual([named])
    expect(findObjectColors(prompt, own_colors)).toMatchObject([{ code: 'object_colors', path: 'prompt' }])
  })

  it.each([
    'an apple on a red background',
    'a fox on red, apple on the left',
    'a cat with a blue background and a dog',
    '"RED CAR" in blue letters below a car',
    'make the background red',
    'a house on a gradient from orange to pink',
  ])('are not those of backgrounds and letters: %s', (prompt) => expect(namedIn(prompt)).toEqual([]))

  it('are in nothing that the model was examined with', () => {
    const objects = Object.keys(read('models/image-mini/recipe/objects.json') as object)
    const listed = [...Object.values(listPrompts(objects)).flat(), ...SHEET_EDITS].map(({ prompt }) => prompt)
    const prompts = [...listed, ...SHEET_PROMPTS]
    expect(prompts.length).toBeGreaterThan(200)
    expect(prompts.filter((prompt) => namedIn(prompt).length > 0)).toEqual([])
  })

  it('are named up to five, and counted beyond', () => {
    const prompt = 'a red cat, a red dog, a red fox, a red pig, a red car, a red bus and a red star'
    expect(namedIn(prompt)).toEqual(['red cat, red dog, red fox, red pig, red car and 2 more'])
  })

  it('are fine for other models', () => expect(findObjectColors('a red apple', undefined)).toEqual([]))
})
