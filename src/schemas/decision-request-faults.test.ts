import { describe, expect, it } from 'vitest'
import { parseDecisionRequest } from './index.ts'
import { faultOf } from './test-support/fault-of.ts'
import { ask, choice, named, noul, score, times } from './test-support/questions.ts'

const refuse = (body: unknown, limits = {}) => faultOf(() => parseDecisionRequest(body, limits))

describe('a request that does not fit is refused under the path of the fault', () => {
  const refused: readonly (readonly [rule: string, path: string, body: unknown])[] = [
    ...[undefined, [], 'x', null, 5, true].map((body) => ['S38 body', 'body', body] as const),
    ['S39 state missing', 'state', { questions: { noul } }],
    ...[null, 5, true].map((state) => ['S39 state', 'state', { state, questions: { noul } }] as const),
    ['S40 questions missing', 'questions', { state: 'x' }],
    ...[null, [], [noul], 'x', {}].map(
      (questions) => ['S40 questions', 'questions', { state: 'x', questions }] as const,
    ),
    ['S41 33 questions', 'questions', { state: 'x', questions: named(33, noul) }],
    ...[null, 'x', [], 5, undefined].map((question) => ['S43 question', 'questions.q', ask(question)] as const),
    ['S44 type missing', 'questions.q.type', ask({ instructions: 'x' })],
    ...['boolean', 'box', 'predicate', 1, 'Noul', null, '', ' noul', '__proto__', ['noul']].map(
      (type) => ['S44 type', 'questions.q.type', ask({ type, instructions: 'x' })] as const,
    ),
    ...[5, true, false].flatMap((instructions) =>
      [noul, choice, score].map(
        (question) => ['S45 instructions', 'questions.q.instructions', ask({ ...question, instructions })] as const,
      ),
    ),
    ...[undefined, null, ['a', 'b'], 'x', {}, 5, named(1, 'x'), named(27, 'x')].map(
      (criteria) => ['S46 options', 'questions.q.criteria', ask({ ...choice, criteria })] as const,
    ),
    ...[5, true, undefined].map(
      (meaning) =>
        ['S47 meaning', 'questions.q.criteria.b c', ask({ ...choice, criteria: { a: null, 'b c': meaning } })] as const,
    ),
    ...[undefined, null, { 0: 'a', 1: 'b' }, 'x', [], 5, times(1, 'x'), times(11, 'x')].map(
      (criteria) => ['S48 levels', 'questions.q.criteria', ask({ ...score, criteria })] as const,
    ),
    ...[null, 5, true, undefined].map(
      (level) => ['S49 level', 'questions.q.criteria.1', ask({ ...score, criteria: ['a', level, 'c'] })] as const,
    ),
    ...[[], 'x', 5, { true: 'x', maybe: 'y' }, { True: 'x' }, JSON.parse('{"__proto__":"x"}')].map(
      (criteria) => ['S50 noul criteria', 'questions.q.criteria', ask({ ...noul, criteria })] as const,
    ),
    ['S50 noul side', 'questions.q.criteria.false', ask({ ...noul, criteria: { true: 'x', false: 5 } })],
    ...[-0.1, 1.1, '0.5', true, 'NaN', Number.NaN, Number.POSITIVE_INFINITY, [], {}].flatMap((min_confidence) => [
      ['S51 of a question', 'questions.q.min_confidence', ask({ ...choice, min_confidence })] as const,
      ['S51 of the request', 'min_confidence', { ...ask(choice), min_confidence }] as const,
    ]),
    ...[null, 5, {}].map((model) => ['S52 model', 'model', { ...ask(noul), model }] as const),
    ['a question name of 10,001 characters', 'questions', { state: 'x', questions: { ['n'.repeat(10_001)]: noul } }],
    [
      'an option name of 10,001 characters',
      'questions.q.criteria',
      ask({ type: 'choice', criteria: { ['n'.repeat(10_001)]: null, b: null } }),
    ],
    ['S53 empty question name', 'questions', { state: 'x', questions: { '': noul } }],
    ['S54 number beyond doubles', 'state', JSON.parse('{"state":{"a":[1e999]},"questions":{"q":{}}}')],
    [
      'S56 one fault among good questions',
      'questions.b.criteria',
      { state: 'x', questions: { noul, b: { type: 'choice' } } },
    ],
    ['noul that asks nothing', 'questions.q.instructions', ask({ type: 'noul' })],
    [
      'noul of null texts',
      'questions.q.instructions',
      ask({ type: 'noul', instructions: null, criteria: { true: null } }),
    ],
    [
      'noul of blank texts',
      'questions.q.instructions',
      ask({ type: 'noul', instructions: ' ', criteria: { true: {} } }),
    ],
    ['S34 lone surrogate in the state', 'state', { state: 'a\ud800', questions: { noul } }],
    ['S34 lone surrogate deep in the state', 'state', { state: { a: ['x', '\udc00'] }, questions: { noul } }],
    ['S34 lone surrogate in a name of the state', 'state', { state: { a: { '\ud800': 1 } }, questions: { noul } }],
    ['S34 lone surrogate in instructions', 'questions.q.instructions', ask({ ...noul, instructions: '\ud800' })],
    [
      'S34 lone surrogate in a meaning',
      'questions.q.criteria.a.0',
      ask({ ...choice, criteria: { a: ['\ud800'], b: '' } }),
    ],
    [
      'S34 lone surrogate in an option name',
      'questions.q.criteria',
      ask({ ...choice, criteria: { '\ud800': 'a', b: '' } }),
    ],
    ['S34 lone surrogate in a level', 'questions.q.criteria.1', ask({ ...score, criteria: ['a', '\ud800'] })],
    ['S34 lone surrogate in a question name', 'questions', { state: 'x', questions: { '\ud800': noul } }],
    ['S34 lone surrogate in the model', 'model', { ...ask(noul), model: '\ud800' }],
  ]

  it.each(refused)('%s: %s', (_, path, body) => {
    const fault = refuse(body, { hidesMembers: true })
    expect(fault.path).toBe(path)
    expect(fault.message).toBe(`${path}: ${fault.reason}`)
    expect(fault.status).toBe(422)
  })

  it('says what was expected and what came', () => {
    expect(refuse(ask({ ...choice, criteria: named(1, 'x') })).reason).toBe('a choice needs 2 to 26 options, got 1')
    expect(refuse(ask({ ...choice, criteria: named(27, 'x') })).reason).toBe(
      'a choice needs 2 to 26 options, got 27; maxOptions (--max-options) allows more',
    )
    expect(refuse(ask({ ...score, criteria: ['x'] })).reason).toBe('a score needs 2 to 10 levels, got 1')
    expect(refuse({ state: 'x', questions: named(33, noul) }).reason).toBe('a request needs 1 to 32 questions, got 33')
    expect(refuse(ask({ ...noul, min_confidence: 1.5 })).reason).toBe('must be a number from 0 to 1, got 1.5')
    expect(refuse({ questions: { noul } }).reason).toBe('is required: a string, an object or an array')
    expect(refuse(ask({ ...noul, type: 'x' })).reason).toBe('must be "noul", "choice" or "score", got another string')
  })

  it('S57: names the right question, exactly in loc even when the name holds a dot', () => {
    const fault = refuse({ state: 'x', questions: { 'q.1': noul, 'q.2': { type: 'score', criteria: ['a', 5] } } })
    expect(fault.path).toBe('questions.q.2.criteria.1')
    expect(fault.loc).toEqual(['questions', 'q.2', 'criteria', '1'])
    expect(refuse(null).loc).toEqual([])
  })

  it('reports the first fault in document order, missing members last', () => {
    const bad = { min_confidence: 5, criteria: 5, type: 'choice', instructions: 5 }
    expect(refuse({ questions: { q: bad }, state: 5 }).path).toBe('questions.q.min_confidence')
    expect(refuse({ state: 5, questions: { q: bad } }).path).toBe('state')
    expect(refuse({ questions: { q: bad } }).path).toBe('questions.q.min_confidence')
    expect(refuse({ model: 5, questions: { b: 5, a: 5 }, min_confidence: 5 }).path).toBe('model')
    expect(refuse({ state: 'x', questions: { b: 5, a: 5 }, min_confidence: 5 }).path).toBe('questions.b')
    expect(refuse({}).path).toBe('state')
  })

  it('S19: never repeats content of the request', () => {
    for (const secret of ['SECRET', ['SECRET'], { a: 'SECRET' }]) {
      const bodies = [{ state: secret }, { state: 'x', questions: secret }, ask({ type: secret }), ask(secret)]
      for (const body of bodies) expect(JSON.stringify(refuse(body))).not.toContain('SECRET')
    }
  })
})

describe('the option limit', () => {
  it('is what the settings say at the call', () => {
    const settings = { maxOptions: 30 }
    const body = ask({ ...choice, criteria: named(35, null) })
    expect(refuse(body, settings).reason).toBe(
      'a choice needs 2 to 30 options, got 35; maxOptions (--max-options) allows more',
    )
    settings.maxOptions = 40
    expect(() => parseDecisionRequest(body, settings)).not.toThrow()
  })

  it('is a setting', () => {
    expect(refuse(ask({ ...choice, criteria: named(27, null) }), { maxOptions: 26 }).path).toBe('questions.q.criteria')
    expect(() =>
      parseDecisionRequest(ask({ ...choice, criteria: named(255, null) }), { maxOptions: 255 }),
    ).not.toThrow()
    expect(refuse(ask({ ...choice, criteria: named(256, null) }), { maxOptions: 255 }).reason).toBe(
      'a choice needs 2 to 255 options, got 256; maxOptions (--max-options) allows more',
    )
  })

  it.each([
    [{ maxOption: 50 }, 'maxOption: is no option of parseDecisionRequest; those are maxOptions, hidesMembers'],
    [{ maxOptions: Number.NaN }, 'maxOptions: must be a whole number of 2 or more, got NaN'],
  ])('that limits nothing is refused (%#)', (settings, message) => {
    expect(() => parseDecisionRequest(ask({ ...choice, criteria: named(400, null) }), settings as object)).toThrow(
      message,
    )
  })
})
