import { beforeEach, describe, expect, it } from 'vitest'
import { createServer } from '../server.ts'
import { ask, choice, predicate, score, user } from '../test-support/openai-requests.ts'
import { json, post } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'

const say = (...input: unknown[]) => ({ model: 'decide-latest', input, questions: [predicate] })
const times = <T>(count: number, value: T) => Array.from({ length: count }, () => value)

let stub: ReturnType<typeof createStubEngine>
beforeEach(() => {
  stub = createStubEngine()
})
const send = (body: unknown) => createServer({ engine: stub.engine }).fetch(post(body, { path: '/v1/decisions' }))

describe('a request that fits', () => {
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
  const custom = { type: 'custom_tool_call', call_id: 'd', name: 'g', input: 'x' }
  it.each<[string, unknown]>([
    [
      'D1 cache hints and identifiers',
      {
        ...ask(predicate),
        prompt_cache_key: 'k',
        prompt_cache_options: { mode: 'explicit' },
        safety_identifier: 'u',
      },
    ],
    [
      'D11 null hints',
      { ...ask(predicate), prompt_cache_key: null, prompt_cache_options: null, safety_identifier: null },
    ],
    ['no model', { input: 'x', questions: [predicate] }],
    [
      'D2 messages of all roles',
      say({ role: 'system', content: 'a' }, { role: 'developer', content: 'b', type: 'message' }, user('c'), {
        role: 'assistant',
        content: 'd',
        phase: null,
      }),
    ],
    [
      'D2 tool calls',
      say(
        call,
        custom,
        { type: 'function_call_output', call_id: 'c', output: 'r' },
        { type: 'custom_tool_call_output', call_id: 'd', output: [{ type: 'input_text', text: 'r' }] },
      ),
    ],
    [
      'D3 parts',
      say(
        user([
          { type: 'input_text', text: 'a', prompt_cache_breakpoint: null },
          { type: 'input_json', data: [{ a: 1 }], prompt_cache_breakpoint: { mode: 'explicit' } },
        ]),
      ),
    ],
    [
      'D3 assistant parts',
      say({
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'a' },
          { type: 'refusal', refusal: 'b' },
        ],
      }),
    ],
    ['D6 JSON of depth 32', say(user([{ type: 'input_json', data: JSON.parse('['.repeat(32) + ']'.repeat(32)) }]))],
    ['D6 JSON of 10,000 values', say(user([{ type: 'input_json', data: times(10_000, { a: 1 }) }]))],
    [
      'D8 instructions in parts',
      ask({
        ...predicate,
        instructions: [
          { type: 'input_text', text: 'a' },
          { type: 'input_json', data: {} },
        ],
      }),
    ],
    ['D25 two unnamed', ask(predicate, predicate)],
    ['32 questions', ask(...times(32, predicate))],
    ['26 choices', ask({ ...choice, choices: Array.from({ length: 26 }, (_, i) => ({ value: `${i}` })) })],
    ['10 levels', ask({ ...score, levels: times(10, { label: 'x' }) })],
  ])('%s is answered', async (_, body) => {
    const response = await send(body)
    expect([response.status, await json(response)]).toEqual([200, expect.objectContaining({ model: 'stub' })])
  })
})

describe('a request that does not fit', () => {
  const image = { type: 'input_image', image_url: 'data:image/png;base64,CANARY' }
  it.each<[string, string | null, unknown]>([
    ['not an object', null, []],
    ['D28 a System One body', 'input', { state: 'x', questions: {} }],
    ['no input', 'input', { questions: [predicate] }],
    ['input of another kind', 'input', { input: 5, questions: [predicate] }],
    ['no messages', 'input', say()],
    ['a message that is none', 'input[1]', say(user('a'), 'b')],
    ['another role', 'input[0].role', say({ role: 'tool', content: 'x' })],
    ['another item', 'input[0].type', say({ type: 'reasoning' })],
    ['no content', 'input[0].content', say({ role: 'user' })],
    ['no parts', 'input[0].content', say(user([]))],
    [
      'D3 JSON from the system',
      'input[0].content[0].type',
      say({ role: 'system', content: [{ type: 'input_json', data: {} }] }),
    ],
    ['D3 a number as JSON', 'input[0].content[0].data', say(user([{ type: 'input_json', data: 5 }]))],
    [
      'D4 an output without a call',
      'input[0].call_id',
      say({ type: 'function_call_output', call_id: 'c', output: 'r' }),
    ],
    ['D5 an image', 'input[0].content[1]', say(user([{ type: 'input_text', text: 'a' }, image]))],
    ['D5 an image in instructions', 'questions[0].instructions[0]', ask({ ...predicate, instructions: [image] })],
    ['D7 questions by name', 'questions', { input: 'x', questions: { q: predicate } }],
    ['D7 no questions', 'questions', ask()],
    ['D7 33 questions', 'questions', ask(...times(33, predicate))],
    ['a question that is none', 'questions[1]', ask(predicate, 'q')],
    ['a type of the other wire', 'questions[0].type', ask({ type: 'noul', instructions: 'x' })],
    ['D8 no instructions', 'questions[0].instructions', ask({ type: 'predicate' })],
    ['D8 null instructions', 'questions[1].instructions', ask(predicate, { ...choice, instructions: null })],
    ['blank instructions of a predicate', 'questions[0].instructions', ask({ ...predicate, instructions: ' ' })],
    ['D9 no choices', 'questions[0].choices', ask({ ...choice, choices: undefined })],
    ['D9 one choice', 'questions[0].choices', ask({ ...choice, choices: [{ value: 'a' }] })],
    [
      'D9 27 choices',
      'questions[0].choices',
      ask({ ...choice, choices: Array.from({ length: 27 }, (_, i) => ({ value: `${i}` })) }),
    ],
    [
      'D9 the same value twice',
      'questions[0].choices',
      ask({ ...choice, choices: [{ value: true }, { value: true }] }),
    ],
    [
      'D9 a number as value',
      'questions[0].choices[1].value',
      ask({ ...choice, choices: [{ value: 'a' }, { value: 5 }] }),
    ],
    [
      'D10 a number as label',
      'questions[0].levels[0].label',
      ask({ ...score, levels: [{ label: 0 }, { label: 'b' }] }),
    ],
    ['D10 11 levels', 'questions[0].levels', ask({ ...score, levels: times(11, { label: 'x' }) })],
    ['D25 the same name twice', 'questions[1].name', ask({ ...predicate, name: 'a' }, { ...predicate, name: 'a' })],
    ['an input that is too long', 'input', { ...ask(predicate), input: 'x'.repeat(200_001) }],
    [
      'half a surrogate pair in a choice',
      'questions[0].choices[1]',
      ask({ ...choice, choices: [{ value: 'a' }, { value: 'b', description: '\ud800' }] }),
    ],
    [
      'half a surrogate pair in a level',
      'questions[0].levels[1]',
      ask({ ...score, levels: [{ label: 'a' }, { label: '\ud800' }] }),
    ],
    ['half a surrogate pair in instructions', 'questions[0].instructions', ask({ ...score, instructions: '\ud800' })],
    ['half a surrogate pair in a name', 'questions[0].name', ask({ ...score, name: '\ud800' })],
  ])('%s is refused with %s at fault', async (_, param, body) => {
    const response = await send(body)
    expect(response.status).toBe(422)
    const { message, error } = (await json(response)) as { message: string; error: { message: string } }
    expect(error).toEqual({ message, type: 'invalid_request_error', param, code: 'invalid_request' })
    expect(message).not.toContain('CANARY')
    expect(stub.counts.decided).toBe(0)
  })

  it('speaks of no noul and no criteria, which this wire has not', async () => {
    const { message } = await json(send(ask({ ...predicate, instructions: ' ' })))
    expect(message).toBe('questions.0.instructions: must say what is asked')
  })

  it('D28: the other route says which one is meant', async () => {
    const { message } = await json(createServer({ engine: stub.engine }).fetch(post(ask(predicate))))
    expect(message).toBe('state: is required; a body with "input" belongs to POST /v1/decisions')
    expect(await json(send({ state: 'x' }))).toMatchObject({ message: expect.stringContaining('POST /v1/systemone') })
  })
})
