import { beforeEach, describe, expect, it } from 'vitest'
import { createServer } from '../server.ts'
import { ask, choice, predicate, score, user } from '../test-support/openai-requests.ts'
import { json, post } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { toSystemOne } from './openai-mapping.ts'
import { createOpenAiRequestSchema, type OpenAiRequest } from './openai-request.ts'

let stub: ReturnType<typeof createStubEngine>
beforeEach(() => {
  stub = createStubEngine()
})
const send = (body: unknown) => createServer({ engine: stub.engine }).fetch(post(body, { path: '/v1/decisions' }))
const mapped = (body: unknown) => toSystemOne(createOpenAiRequestSchema().parse(body) as OpenAiRequest)

describe('the state', () => {
  it.each<[string, unknown, unknown]>([
    ['a text', 'x', 'x'],
    ['one text of one user', [user('x')], 'x'],
    ['one part of one user', [user([{ type: 'input_text', text: 'x' }])], 'x'],
    ['one record of one user', [user([{ type: 'input_json', data: { a: 1 } }])], { a: 1 }],
    [
      'several parts in order',
      [
        user([
          { type: 'input_json', data: { a: 1 } },
          { type: 'input_text', text: 'x' },
        ]),
      ],
      [{ a: 1 }, 'x'],
    ],
    [
      'a conversation',
      [{ role: 'assistant', content: 'a' }, user('b')],
      [
        { role: 'assistant', content: 'a' },
        { role: 'user', content: 'b' },
      ],
    ],
    ['a single message of another role', [{ role: 'system', content: 'a' }], [{ role: 'system', content: 'a' }]],
  ])('of %s is what it says', (_, input, state) => {
    expect(mapped({ input, questions: [predicate] }).state).toEqual(state)
  })
})

describe('questions', () => {
  it("keep a level's label beside its description, unless it is only its number", () => {
    const levels = [
      { label: '0', description: 'calm' },
      { label: 'cross' },
      { label: 'mad', description: 'very angry' },
      { label: 'x', description: 'x' },
    ]
    expect(mapped(ask({ ...score, levels })).questions[0]).toMatchObject({
      criteria: ['calm', 'cross', 'mad: very angry', 'x'],
    })
  })

  it('are never shown by name', () => {
    expect(Object.keys(mapped(ask(choice, score)).questions)).toEqual(['0', '1'])
  })
})

describe('an answer', () => {
  it('has one entry a question in order, and D18 usage with every member', async () => {
    expect(await json(send(ask(score, predicate, choice)))).toEqual({
      model: 'stub',
      answers: [
        {
          type: 'score',
          name: 'anger',
          score: 0.5,
          confidence: 0,
          probabilities: [
            { value: 0, label: 'calm', probability: 0.5 },
            { value: 1, label: 'cross', probability: 0.5 },
          ],
        },
        { type: 'predicate', name: null, probability: 0.5 },
        {
          type: 'choice',
          name: 'team',
          choice: 'billing',
          confidence: 0,
          probabilities: [
            { value: 'billing', probability: 0.5 },
            { value: 'tech', probability: 0.5 },
          ],
        },
      ],
      usage: {
        input_tokens: 3,
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens: 0,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 3,
      },
    })
  })

  it('D14: keeps the kind and the order of values, also where true and "true" are both given', async () => {
    const values = [true, 'true', false, 'true (boolean)', '10', '2', '__proto__', 'é', 'e\u0301']
    const { answers } = (await json(send(ask({ ...choice, choices: values.map((value) => ({ value })) })))) as {
      answers: { choice: unknown; probabilities: { value: unknown; probability: number }[] }[]
    }
    expect(answers[0]?.probabilities.map(({ value }) => value)).toEqual(values)
    expect(values).toContain(answers[0]?.choice)
  })

  it('that fails in the engine names the field of this wire', async () => {
    const { InvalidRequestError } = await import('../../errors/index.ts')
    stub.failure = new InvalidRequestError('questions.1', 'its text is too long', { loc: ['questions', '1'] })
    expect(await json(send(ask(predicate, choice)))).toMatchObject({ error: { param: 'questions[1]' } })
  })
})
