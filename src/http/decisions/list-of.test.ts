import { describe, expect, it } from 'vitest'
import { parseRequest } from '../../schemas/parse-request.ts'
import { createOpenAiRequestSchema } from './openai-request.ts'

const MANY = 200_000
const predicate = { type: 'predicate', instructions: 'Is it urgent?' }
const ask = (...questions: unknown[]) => ({ input: 'x', questions })
const schema = createOpenAiRequestSchema()
const result = { type: 'function_call_output', call_id: 'c', output: 'r' }

describe('an array of junk', () => {
  const junk = Array.from({ length: MANY }, () => 0)
  it.each<[string, string, unknown]>([
    ['messages', 'input', { input: junk, questions: [predicate] }],
    ['parts of a message', 'input.0.content.0', { input: [{ role: 'user', content: junk }], questions: [predicate] }],
    [
      'outputs without a call',
      'input.0.call_id',
      { input: Array.from({ length: 1000 }, () => result), questions: [predicate] },
    ],
    ['parts of instructions', 'questions.0.instructions.0', ask({ ...predicate, instructions: junk })],
    ['questions', 'questions', { input: 'x', questions: junk }],
    ['choices', 'questions.0.choices', ask({ ...predicate, type: 'choice', choices: junk })],
    ['levels', 'questions.0.levels', ask({ ...predicate, type: 'score', levels: junk })],
  ])('in place of %s is one fault', (_, path, body) => {
    expect(schema.safeParse(body).error!.issues).toHaveLength(1)
    expect(() => parseRequest(schema, body)).toThrow(expect.objectContaining({ path }))
  })

  it('is read no further than its first element that does not fit', () => {
    const input = Array.from({ length: 5 }, () => ({ role: 'user', content: 'x' })) as unknown[]
    input[2] = 0
    Object.defineProperty(input, 3, { get: () => expect.fail('was read') })
    expect(() => parseRequest(schema, { input, questions: [predicate] })).toThrow(
      expect.objectContaining({ path: 'input.2' }),
    )
  })
})
