import { expect, it } from 'vitest'
import { readSampling } from './image-call-options.ts'

it.each([
  [1.5, '1.5'],
  [2 ** 53, '9007199254740992'],
  ['7', "'7'"],
  [{ secret: 1 }, 'an object'],
])('a seed is a whole number: %j is refused in the wording of all options', (seed, got) => {
  const read = () => readSampling({ seed: seed as number })
  expect(read).toThrow(`seed: must be an integer within ±(2^53 - 1), got ${got}`)
})

it('a strength of 0, which would leave no step to take, is refused before a model opens', () => {
  expect(() => readSampling({ strength: 0 })).toThrow('strength: must be a number above 0 and at most 1, got 0')
  expect(readSampling({ strength: 1e-9 }).strength).toBe(1e-9)
})

it('a seed that is not given is drawn', () => {
  expect(readSampling({}).seed).not.toBe(readSampling({}).seed)
})

it('an empty negative prompt is as none, also where nothing would lead away from one', () => {
  expect(readSampling({ negativePrompt: '', seed: 1 }).negativePrompt).toBeUndefined()
  expect(readSampling({ negativePrompt: 'people', seed: 1 }).negativePrompt).toBe('people')
  expect(() => readSampling({ negativePrompt: 5 as never })).toThrow('negativePrompt: must be a string, got a number')
})
