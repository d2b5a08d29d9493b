import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { findNothingNamed } from './nothing-named.ts'

const manifest = readFileSync(new URL('../../../models/image-mini/tessera.json', import.meta.url), 'utf8')
const { objects } = JSON.parse(manifest) as { objects: string[] }

it.each(['   ', '🍎', 'an orange', 'red', 'un perro rojo', 'a hot blue background', '""'])(
  'a prompt that names nothing to draw is said to: %j',
  (prompt) => {
    expect(findNothingNamed(prompt, objects)).toMatchObject([{ code: 'nothing_named', path: 'prompt' }])
    expect(findNothingNamed(prompt, undefined)).toEqual([])
  },
)

it.each(['AN APPLE', 'two hot dogs', 'a puppy', 'a t-shirt', 'the word "HELLO"', '“Good” above "Night"', "a dog's"])(
  'one that names something is not: %j',
  (prompt) => expect(findNothingNamed(prompt, objects)).toEqual([]),
)
