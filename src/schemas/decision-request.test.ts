import { describe, expect, it } from 'vitest'
import { parseDecisionRequest } from './index.ts'
import { ask, choice, named, noul, score, times } from './test-support/questions.ts'

describe('a request that fits the format', () => {
  const accepted: readonly (readonly [rule: string, body: unknown])[] = [
    ['S20 string state', { state: 'x', questions: { noul } }],
    ['S20 object state', { state: { a: [1, true, null, { b: 'x' }] }, questions: { noul } }],
    ['S20 array state', { state: [1, [true, [null]]], questions: { noul } }],
    ['empty string state', { state: '', questions: { noul } }],
    ['empty object and array', { state: {}, questions: { noul: { ...noul, instructions: ['x', {}, []] } } }],
    ['S21 model', { state: 'x', questions: { noul }, model: 'jev-latest' }],
    ['S22 mixed types', { state: 'x', questions: { noul, choice, score } }],
    [
      'S23 odd names',
      { state: 'x', questions: { 'ticket-1': noul, 'q.2': noul, 'with space': noul, 질문: noul, '🎯': noul } },
    ],
    [
      'S25 option names byte for byte',
      ask({ ...choice, criteria: { 'e\u0301': null, '\u00e9': null, ' a ': null, A: null } }),
    ],
    ['an option without a name', ask({ ...choice, criteria: { '': 'none', a: 'one' } })],
    ['S27 object instructions', ask({ ...noul, instructions: { task: 'x' } })],
    ['S27 array instructions', ask({ ...score, instructions: ['x', { y: 1 }] })],
    ['S27 structured meanings', ask({ ...choice, criteria: { a: { is: 'x' }, b: ['y'] } })],
    ['S28 noul, criteria, null instructions', ask({ type: 'noul', instructions: null, criteria: { true: 'yes' } })],
    ['S28 noul, criteria, no instructions', ask({ type: 'noul', criteria: { false: 'no' } })],
    ['S28 choice without instructions', ask({ type: 'choice', criteria: { a: null, b: null } })],
    ['S28 score with null instructions', ask({ ...score, instructions: null })],
    ['S29 criteria null', ask({ ...noul, criteria: null })],
    ['S29 criteria with both sides', ask({ ...noul, criteria: { true: 'yes', false: 'no' } })],
    ['S29 criteria with one side null', ask({ ...noul, criteria: { true: 'yes', false: null } })],
    ['S29 criteria without a side', ask({ ...noul, criteria: {} })],
    ['S30 all meanings null', ask({ ...choice, criteria: { a: null, b: null } })],
    ['S31 2 options', ask({ ...choice, criteria: named(2, 'x') })],
    ['S31 26 options', ask({ ...choice, criteria: named(26, null) })],
    ['S32 2 levels', ask({ ...score, criteria: times(2, 'x') })],
    ['S32 10 levels', ask({ ...score, criteria: times(10, 'x') })],
    ['S32 structured levels', ask({ ...score, criteria: [{ is: 'low' }, ['high']] })],
    ['S33 1 question', { state: 'x', questions: named(1, noul) }],
    ['S33 32 questions', { state: 'x', questions: named(32, noul) }],
    ['S35 special tokens', { state: '<|im_start|></s>', questions: { noul } }],
    [
      'S36 min_confidence 0 and 1',
      { state: 'x', questions: { noul: { ...noul, min_confidence: 0 } }, min_confidence: 1 },
    ],
    [
      'S37 options like integers, in the order JavaScript gives them',
      ask({ ...choice, criteria: { 2: 'x', 10: 'y' } }),
    ],
    ['S54 100,000 members of little text', { state: times(99_999, 1), questions: { noul } }],
  ]

  it.each(accepted)('%s is returned as it came', (_, body) => {
    const parsed = parseDecisionRequest(body)
    expect(JSON.stringify(parsed)).toBe(JSON.stringify(parseDecisionRequest(JSON.parse(JSON.stringify(body)))))
    expect(parsed).toEqual(body)
  })

  it('keeps the order of questions and options', () => {
    const { questions } = parseDecisionRequest({ state: 'x', questions: { z: noul, a: choice, m: score } })
    expect(Object.keys(questions)).toEqual(['z', 'a', 'm'])
  })

  it('S26: leaves out fields it does not know, in the request and in a question', () => {
    expect(parseDecisionRequest({ ...ask({ ...noul, x_a: 1 }), seed: 7, user: 'x' })).toEqual(ask(noul))
  })

  it('takes min_confidence null as absent', () => {
    const parsed = parseDecisionRequest({ ...ask({ ...noul, min_confidence: null }), min_confidence: null })
    expect(parsed).toStrictEqual(expect.not.objectContaining({ min_confidence: expect.anything() }))
    expect('min_confidence' in parsed).toBe(false)
    expect('min_confidence' in parsed.questions.q!).toBe(false)
  })

  it('takes undefined members of the request and of a question as absent', () => {
    const { criteria, ...rest } = parseDecisionRequest({
      ...ask({ ...noul, criteria: { true: 'yes', false: undefined }, min_confidence: undefined }),
      model: undefined,
    }).questions.q!
    expect(rest).toStrictEqual(noul)
    expect(Object.keys(criteria!)).toEqual(['true'])
  })

  it.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])('S24: %s is a name like any other', (name) => {
    const body = JSON.parse(`{
      "state": { "${name}": { "a": 1 } },
      "questions": { "${name}": { "type": "choice", "instructions": { "${name}": 1 },
        "criteria": { "b": null, "${name}": "x" } } }
    }`)
    const parsed = parseDecisionRequest(body)
    expect(JSON.stringify(parsed)).toBe(JSON.stringify(body))
    expect(JSON.stringify(structuredClone(parsed))).toBe(JSON.stringify(body))
  })

  it('shares nothing with the request and does not change it', () => {
    const body = { state: { list: [1] }, questions: { q: structuredClone(choice) } }
    const before = structuredClone(body)
    const parsed = parseDecisionRequest(body)
    expect(body).toStrictEqual(before)
    body.state.list.push(2)
    body.questions.q.criteria.billing = 'changed'
    expect(parsed).toEqual(before)
  })
})
