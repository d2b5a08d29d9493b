import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { ImageManifest } from '../image-manifest.ts'
import { findTooManyObjects } from './object-count.ts'

const manifest = readFileSync(new URL('../../../models/image-mini/tessera.json', import.meta.url), 'utf8')
const { objects, counts } = JSON.parse(manifest) as ImageManifest

it.each([
  ['a dog, a cat, a fox, a cow, a pig and a horse', 6],
  ['three red flat apples and three keys', 6],
  ['a pair of puppies, 2 fire trucks and two hot dogs', 6],
  ['five cars with five dogs on a blue background', 10],
])('more things than fit are said: %j', (prompt, named) => {
  expect(findTooManyObjects(prompt, objects, counts)).toEqual([
    { code: 'many_objects', path: 'prompt', message: expect.stringContaining(`names ${named} things`) },
  ])
  expect(findTooManyObjects(prompt, objects, undefined)).toEqual([])
  expect(findTooManyObjects(prompt, undefined, counts)).toEqual([])
})

it.each([
  'a dog',
  'five dogs',
  'a dog, a cat, a fox, a cow and a pig',
  'two fire trucks and three dogs on a blue background',
  '5 apples with the word "dog cat fox"',
  'constructor toString',
  '',
])('no more than fit are not: %j', (prompt) => expect(findTooManyObjects(prompt, objects, counts)).toEqual([]))
