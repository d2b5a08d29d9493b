import { describe, expect, it, vi } from 'vitest'
import { createServer } from '../../src/http/index.ts'
import { BODY, post as postTo } from '../../src/http/test-support/requests.ts'
import { createStubEngine } from '../../src/http/test-support/stub-engine.ts'
import { ask, CHOICE, named, NOUL, SCORE, times, useService } from './wire.ts'

const { post } = await useService()

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const questions = { q: NOUL }

const refused: readonly (readonly [rule: string, path: string, body: unknown])[] = [
  ...['', 'nonsense', '{', '[]', '"x"', 'null', '5', '{}x', '{"state":'].map(
    (text) => [`S38: ${JSON.stringify(text)}`, 'body', text] as const,
  ),
  ['S39: no state', 'state', { questions }],
  ...[null, 5, true].map((state) => [`S39: a state of ${state}`, 'state', { state, questions }] as const),
  ['S40: no questions', 'questions', { state: 'x' }],
  ...[null, [], {}, 'q', 5].map(
    (value) => [`S40: questions ${JSON.stringify(value)}`, 'questions', { state: 'x', questions: value }] as const,
  ),
  ['S41: 33 questions', 'questions', { state: 'x', questions: named(33, NOUL) }],
  ['S42: 200,001 characters', 'state', ask(NOUL, 'x'.repeat(200_001))],
  ['S42: a record of more', 'state', ask(NOUL, { text: 'x'.repeat(200_000) })],
  ['S42: an array of more', 'state', ask(NOUL, times(50_001, 'xx'))],
  ...[null, 'x', [], 5].map(
    (question) => [`S43: a question ${JSON.stringify(question)}`, 'questions.q', ask(question)] as const,
  ),
  ['S44: no type', 'questions.q.type', ask({ instructions: 'x' })],
  ...['boolean', 'box', 'predicate', 1, 'Noul', '__proto__', null].map(
    (type) => [`S44: type ${JSON.stringify(type)}`, 'questions.q.type', ask({ ...NOUL, type })] as const,
  ),
  ...[5, true].map(
    (instructions) =>
      [`S45: instructions ${instructions}`, 'questions.q.instructions', ask({ ...NOUL, instructions })] as const,
  ),
  ...[undefined, null, ['a', 'b'], 'a', {}, { a: null }, named(27, null)].map(
    (criteria) =>
      [
        `S46: choice criteria ${JSON.stringify(criteria)?.slice(0, 30)}`,
        'questions.q.criteria',
        ask({ ...CHOICE, criteria }),
      ] as const,
  ),
  ...[5, false].map(
    (meaning) =>
      [
        `S47: a description ${meaning}`,
        'questions.q.criteria.b',
        ask({ ...CHOICE, criteria: { a: 'x', b: meaning } }),
      ] as const,
  ),
  ...[undefined, { 0: 'a', 1: 'b' }, 'a', [], ['a'], times(11, 'a')].map(
    (criteria) =>
      [
        `S48: score criteria ${JSON.stringify(criteria)?.slice(0, 30)}`,
        'questions.q.criteria',
        ask({ ...SCORE, criteria }),
      ] as const,
  ),
  ...[null, 5].map(
    (level) => [`S49: a level ${level}`, 'questions.q.criteria.1', ask({ ...SCORE, criteria: ['a', level] })] as const,
  ),
  ...[['a'], 'a', { yes: 'a' }].map(
    (criteria) =>
      [`S50: noul criteria ${JSON.stringify(criteria)}`, 'questions.q.criteria', ask({ ...NOUL, criteria })] as const,
  ),
  ...[-0.1, 1.1, '0.5', true, 'NaN'].flatMap(
    (min_confidence) =>
      [
        [`S51: min_confidence ${min_confidence}`, 'min_confidence', { ...ask(NOUL), min_confidence }],
        [
          `S51: a question's min_confidence ${min_confidence}`,
          'questions.q.min_confidence',
          ask({ ...NOUL, min_confidence }),
        ],
      ] as const,
  ),
  ...[5, null, {}].map((model) => [`S52: model ${JSON.stringify(model)}`, 'model', { ...ask(NOUL), model }] as const),
  ['S53: a question without a name', 'questions', { state: 'x', questions: { '': NOUL } }],
  ['S54: a state of 10,000 levels', 'state', `{"state":${deep(10_000)},"questions":${JSON.stringify(questions)}}`],
  ['S54: questions of 10,000 levels', 'questions', `{"state":"x","questions":${deep(10_000)}}`],
  [
    'S54: instructions of 10,000 levels',
    'questions.q.instructions',
    `{"state":"x","questions":{"q":{"type":"noul","instructions":${deep(10_000)}}}}`,
  ],
  ['S54: a body of 10,000 levels', 'body', deep(10_000)],
  ['S54: 10,000 questions', 'questions', { state: 'x', questions: named(10_000, NOUL) }],
  ['S54: 100,000 questions', 'body', { state: 'x', questions: named(100_000, NOUL) }],
  ['S54: a number beyond all numbers', 'state', `{"state":{"n":1e999},"questions":${JSON.stringify(questions)}}`],
  ['S34: half a surrogate pair', 'state', `{"state":"\\ud800","questions":${JSON.stringify(questions)}}`],
  [
    'S56: one fault among good questions',
    'questions.b.criteria',
    { state: 'x', questions: { a: NOUL, b: { ...CHOICE, criteria: {} } } },
  ],
  ['S57: a name with a dot', 'questions.q.2.type', { state: 'x', questions: { a: NOUL, 'q.2': { type: 'x' } } }],
  ['S57: a name with a space', 'questions.with space.type', { state: 'x', questions: { a: NOUL, 'with space': {} } }],
]

describe('a request that must be refused', () => {
  it.each(refused)('%s gives 422 under %s', async (_, path, request) => {
    const { status, headers, body } = await post(request)
    expect([status, body.error_type]).toEqual([422, 'invalid_request'])
    expect(body.message.startsWith(`${path}: `)).toBe(true)
    expect(body).not.toHaveProperty('usage')
    expect(headers.get('x-should-retry')).toBe('false')
    expect(body.detail).toHaveLength(1)
    expect(body.detail[0]?.loc.join('.')).toBe(path === 'body' ? 'body' : `body.${path}`)
  })

  it('S52: a name that nothing is installed under gives 404', async () => {
    const { status, body } = await post({ ...ask(NOUL), model: 'nobody/no-such-model' })
    expect([status, body.error_type]).toEqual([404, 'model_not_found'])
  })

  it('S55: a body above the limit gives 413 in the same form, and the connection goes on', async () => {
    const { status, body } = await post(`"${'x'.repeat(9 * 2 ** 20)}"`)
    expect([status, body.error_type]).toEqual([413, 'invalid_request'])
    expect((await post(ask(NOUL))).status).toBe(200)
  })

  it('S57: the path is exact as a list', async () => {
    const { body } = await post({ state: 'x', questions: { 'q.2': { ...CHOICE, criteria: { 'a.b': 5, c: null } } } })
    expect(body.detail[0]?.loc).toEqual(['body', 'questions', 'q.2', 'criteria', 'a.b'])
  })

  it('S58: is refused at once while others are computed', async () => {
    const stub = createStubEngine()
    stub.hold()
    const { fetch } = createServer({ engine: stub.engine })
    void fetch(postTo(BODY))
    await vi.waitUntil(() => stub.clients.length === 1, { timeout: 60_000 })
    expect((await fetch(postTo({ ...BODY, state: 5 }))).status).toBe(422)
    expect(stub.clients).toHaveLength(1)
  })

  it('S7 S80: never has a status that makes clients try again, and costs nothing', async () => {
    const stub = createStubEngine()
    const server = createServer({ engine: stub.engine })
    for (const [, , request] of refused) {
      const { status } = await server.fetch(postTo(request))
      expect(status === 408 || status === 429 || status >= 500).toBe(false)
    }
    expect(await server.usage('anyone')).toEqual([])
  })
})
