import { expect, it } from 'vitest'
import { InternalError, InvalidRequestError } from './index.ts'
import { renameField } from './rename-field.ts'

const NAMES = { negativePrompt: 'negative_prompt', control: '--control' }

it('calls the field of an error as the caller wrote it, with all that follows', () => {
  const thrown = new InvalidRequestError('control.image', 'is no picture')
  const renamed = renameField(thrown, NAMES)
  expect(renamed).toBeInstanceOf(InvalidRequestError)
  expect(renamed).toMatchObject({
    path: '--control.image',
    loc: ['--control', 'image'],
    reason: 'is no picture',
    message: '--control.image: is no picture',
    cause: thrown,
  })
})

it('leaves what has no other name, names of JavaScript and other errors as they are', () => {
  const others = [
    new InvalidRequestError('prompt', 'is empty'),
    new InvalidRequestError('toString', 'is unknown'),
    new InvalidRequestError('body', 'is no JSON', { loc: [] }),
    new InternalError('x'),
    'text',
  ]
  for (const thrown of others) expect(renameField(thrown, NAMES)).toBe(thrown)
})
