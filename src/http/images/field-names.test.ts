import { describe, expect, it } from 'vitest'
import { InvalidRequestError } from '../../errors/index.ts'
import { createServer } from '../index.ts'
import { IMAGE_BODIES, json, post } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'

describe.each(IMAGE_BODIES)('%s', (path, body) => {
  it.each([
    ['negativePrompt', 'negative_prompt', 'negative_prompt'],
    ['control.image', 'control.image', 'control.image'],
    ['images.1', 'images.1', 'images[1]'],
  ])('names the field of the body where the engine names the option %s', async (option, field, param) => {
    const stub = createStubEngine()
    stub.failure = new InvalidRequestError(option, 'is refused')
    const response = await createServer({ engine: stub.engine }).fetch(post(body, { path }))
    expect([response.status, await json(response)]).toEqual([
      422,
      expect.objectContaining({
        message: `${field}: is refused`,
        detail: [{ loc: ['body', ...field.split('.')], msg: 'is refused', type: 'value_error' }],
        error: expect.objectContaining({ param }),
      }),
    ])
  })
})
