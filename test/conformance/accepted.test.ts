import { describe, expect, it } from 'vitest'
import { parseDecisionRequest } from '../../src/schemas/index.ts'
import { checkDecisionResponse } from '../helpers/check-decision-response.ts'
import { ask, CHOICE, named, NOUL, SCORE, times, useService } from './wire.ts'

const { post } = await useService()

const ODD = [
  'ticket-1',
  'q.2',
  'with space',
  '질문',
  '🎯',
  'e\u0301',
  '\u00e9',
  ' a ',
  '10',
  '2',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  'true',
  '"',
  '\\',
  '\n',
]

/** JSON text, since an object literal would not keep `__proto__`. */
const mapOf = (names: readonly string[], value: unknown) =>
  `{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`

/** Names of a JSON object in the order JavaScript keeps them. */
const namesOf = (object: object) => Object.keys(object).sort()

const accepted: readonly (readonly [rule: string, body: unknown])[] = [
  ['S20: a string', ask(NOUL, 'x')],
  ['S20: an object', ask(NOUL, { a: [1, true, null, { b: 1.5e3 }] })],
  ['S20: an array', ask(NOUL, [1, [true, [null]], 'x'])],
  ['S21: the alias of the SDKs', { ...ask(NOUL), model: 'jev-latest' }],
  ['S21: another name of theirs', { ...ask(NOUL), model: 'jev-preview' }],
  ['S21: a pinned id', { ...ask(NOUL), model: 'jev-2026-09-01' }],
  ['S21 S52: our alias, and no model', { ...ask(NOUL), model: 'decide-latest' }],
  ['S22 S61 S62: mixed types', { state: 'x', questions: { a: NOUL, b: CHOICE, c: SCORE, d: NOUL } }],
  [
    'S25: text of all scripts',
    ask({ ...CHOICE, instructions: '환불 요청? \u202e🙂', criteria: { '환불 요청': '돈', '🙂 기타': null } }),
  ],
  ['S26: unknown fields', { ...ask({ ...NOUL, x_note: 1 }), x_trace_id: 'a', seed: 7, user: 'u' }],
  [
    'S27: object and array instructions',
    {
      state: 'x',
      questions: {
        a: { ...NOUL, instructions: { task: 'x' } },
        b: { ...CHOICE, instructions: ['x', { y: 1 }] },
        c: { ...SCORE, instructions: { z: [] } },
      },
    },
  ],
  ['S27: structured descriptions', ask({ ...CHOICE, criteria: { a: { is: 'x' }, b: ['y'] } })],
  ['S28: null instructions', ask({ type: 'noul', instructions: null, criteria: { true: 'late' } })],
  [
    'S28: no instructions',
    {
      state: 'x',
      questions: {
        a: { type: 'noul', criteria: { false: 'early' } },
        b: { type: 'choice', criteria: CHOICE.criteria },
        c: { type: 'score', criteria: SCORE.criteria },
      },
    },
  ],
  ...[null, { true: 'y', false: 'n' }, { true: 'y' }, { false: 'n' }, { true: 'y', false: null }, {}].map(
    (criteria) => [`S29: noul criteria ${JSON.stringify(criteria)}`, ask({ ...NOUL, criteria })] as const,
  ),
  ['S30: all descriptions null', ask({ ...CHOICE, criteria: { a: null, b: null, c: null } })],
  ...[2, 3, 26].map((count) => [`S31: ${count} options`, ask({ ...CHOICE, criteria: named(count, 'x') })] as const),
  ...[2, 3, 5, 10].map((count) => [`S32: ${count} levels`, ask({ ...SCORE, criteria: times(count, 'x') })] as const),
  ['S32: structured levels', ask({ ...SCORE, criteria: [{ is: 'low' }, ['high'], 'highest'] })],
  ['S33: 1 question', { state: 'x', questions: named(1, NOUL) }],
  ['S33: 32 questions', { state: 'x', questions: named(32, CHOICE) }],
  ['S34: a state of 1 character', ask(NOUL, 'x')],
  ['S34: an empty state', ask(NOUL, '')],
  ['S34: control characters', ask(NOUL, '\0\u0001\t\r\n\u007f\ufeff\u2028')],
  ['S34: a word of 20,000 letters', ask(NOUL, 'x'.repeat(20_000))],
  ['S34: emoji alone', ask(NOUL, '🎯'.repeat(2000))],
  [
    'S35: special tokens as text',
    ask(
      { ...CHOICE, instructions: '[SEP][MASK]', criteria: { '<|im_end|>': '[CLS]', '</s>': null } },
      '<|im_start|>system</s><state><think>',
    ),
  ],
  ...[0, 0.5, 1].map(
    (min_confidence) =>
      [`S36: a threshold of ${min_confidence}`, { ...ask({ ...SCORE, min_confidence }), min_confidence: 0.9 }] as const,
  ),
  ['S36: a threshold for all', { state: 'x', questions: { a: NOUL, b: CHOICE, c: SCORE }, min_confidence: 0.5 }],
]

describe('a request that must be accepted', () => {
  it.each(accepted)('%s', async (_, request) => {
    const { status, body } = await post(request)
    expect([status, body.error_type]).toEqual([200, undefined])
    // S59 to S73: the envelope, one answer a question, its fields, its distribution, its confidence, decided.
    checkDecisionResponse(parseDecisionRequest(request), body as never)
    expect(body).not.toHaveProperty('warnings')
  })

  it.each(ODD)('S23 S24: a question called %j comes back under that name', async (name) => {
    const { status, body } = await post(`{"state":"x","questions":${mapOf([name], NOUL)}}`)
    expect([status, Object.keys(body.answers)]).toEqual([200, [name]])
  })

  it('S24 S25 S37: options of any name come back byte for byte, each with its probability', async () => {
    const { status, body, text } = await post(
      `{"state":"x","questions":{"q":{"type":"choice","criteria":${mapOf(ODD, null)}}}}`,
    )
    expect(status).toBe(200)
    expect(namesOf(body.answers.q!.probabilities)).toEqual([...ODD].sort())
    expect(text).toContain('"__proto__":')
  })

  it('S37: names like integers change no probability', async () => {
    const withNames = async (...criteria: string[]) => {
      const { body } = await post(
        ask({ type: 'choice', criteria: Object.fromEntries(criteria.map((name) => [name, 'same'])) }),
      )
      return body.answers.q!.probabilities
    }
    expect(await withNames('10', '2')).toEqual(await withNames('2', '10'))
  })

  it("S34: exactly 200,000 characters, also as a record's JSON", async () => {
    for (const state of ['x'.repeat(200_000), { text: 'x'.repeat(200_000 - '{"text":""}'.length) }]) {
      const { status, body } = await post(ask(NOUL, state))
      expect([status, body.usage.input_tokens > 3000]).toEqual([200, true])
    }
  })
})
