import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { listPrompts, SHEET_EDITS, SHEET_PROMPTS } from '../../../bench/eval-images/prompts.ts'
import { findObjectColors } from './object-colors.ts'

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')) as unknown
const { own_colors } = read('models/image-mini/tessera.json') as { own_colors: Parameters<typeof findObjectColors>[1] }
const namedIn = (prompt: string) =>
  findObjectColors(prompt, own_colors).map(({ message }) => /, and not (.+); its card/.exec(message)?.[1])

describe('colours of objects that are drawn in their usual ones only', () => {
  it.each([
    ['a red rainbow', 'red rainbow'],
    ['A BLUE BUS on a white background', 'blue bus'],
    ['two yellow big flat pandas', 'yellow big flat pandas'],
    ['make the penguin green', 'penguin green'],
    ['a black and white zebra, a pink sheep', 'white zebra, pink sheep'],
    ['a red bus and a red bus', 'red bus'],
  ])('are named: %s', (prompt, named) => {
    expect(namedIn(prompt)).toEqual([named])
    expect(findObjectColors(prompt, own_colors)).toMatchObject([{ code: 'object_colors', path: 'prompt' }])
  })

  it.each([
    'a panda on a red background',
    'a fox on red, panda on the left',
    'a cat with a blue background and a dog',
    '"RED BUS" in blue letters below a bus',
    'make the background red',
    'a red apple and a blue car',
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
    const prompt = 'a red bus, a red bee, a red duck, a red panda, a red robot, a red wolf and a red tooth'
    expect(namedIn(prompt)).toEqual(['red bus, red bee, red duck, red panda, red robot and 2 more'])
  })

  it('are fine for other models', () => expect(findObjectColors('a red bus', undefined)).toEqual([]))
})
