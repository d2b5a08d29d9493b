import { describe, expect, it } from 'vitest'
import { InvalidRequestError } from '../errors/index.ts'
import { nearestName } from './nearest-name.ts'
import { unknownDecisionFields, unknownEditFields, unknownGenerationFields } from './unknown-fields.ts'

const noul = { type: 'noul', instructions: 'x' }

describe('fields that nothing reads', () => {
  it('are each named once, with what may be meant', () => {
    const body = {
      state: { any: { field: 1 } },
      questions: { a: { ...noul, min_confidance: 0.5 }, 'b.c': { ...noul, criteria: { true: 'x' }, zzz: 1 } },
      minConfidence: 0.5,
    }
    expect(unknownDecisionFields(body)).toEqual([
      {
        code: 'unknown_field',
        path: 'minConfidence',
        message: 'minConfidence: is ignored, no field of that name is known; min_confidence may be meant',
      },
      {
        code: 'unknown_field',
        path: 'questions.a.min_confidance',
        message: 'questions.a.min_confidance: is ignored, no field of that name is known; min_confidence may be meant',
      },
      {
        code: 'unknown_field',
        path: 'questions.b.c.zzz',
        message: 'questions.b.c.zzz: is ignored, no field of that name is known',
      },
    ])
  })

  it('are told from options of the call and from fields of the other job', () => {
    const [steps, size] = unknownEditFields({ prompt: 'x', image: 'x', steps: 4, size: '64x64' })
    expect(steps!.message).toBe(
      'steps: is ignored, no field of that name is known; steps is an option of the call, beside the request',
    )
    expect(size!.path).toBe('size')
    const moved = (fields: object) => unknownGenerationFields({ prompt: 'x', ...fields })[0]!.message
    for (const name of ['onPreview', 'lora', 'negativePrompt', 'negative_prompt']) {
      const option = name === 'negative_prompt' ? 'negativePrompt' : name
      expect(moved({ [name]: 1 })).toContain(`; ${option} is an option of the call, beside the request`)
    }
    for (const name of ['width', 'height']) expect(moved({ [name]: 256 })).toContain('; size may be meant')
    // Only edits have it.
    expect(moved({ strength: 0.5 })).toBe('strength: is ignored, no field of that name is known')
    expect(unknownGenerationFields({ prompt: 'x', size: '64x64', seed: 1, n: 1, model: 'x' })).toEqual([])
  })

  it('do not count where they are undefined or there are none', () => {
    expect(unknownDecisionFields({ state: 'x', questions: { a: noul }, model: 'x', min_confidence: 1 })).toEqual([])
    expect(unknownGenerationFields({ prompt: 'x', user: undefined })).toEqual([])
  })

  it('that can no longer be read are a fault like any other', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(() => unknownGenerationFields(proxy)).toThrow(InvalidRequestError)
  })
})

describe('the nearest name', () => {
  it.each([
    ['min_confidance', 'min_confidence'],
    ['minConfidence', 'min_confidence'],
    ['Type', 'type'],
    ['instruction', 'instructions'],
    ['seed', undefined],
    ['n', undefined],
    ['', undefined],
  ])('of %j is %j', (given, nearest) => {
    expect(nearestName(given, ['type', 'instructions', 'criteria', 'min_confidence'])).toBe(nearest)
  })

  it('is none where nothing is known', () => {
    expect(nearestName('x', [])).toBeUndefined()
  })
})
