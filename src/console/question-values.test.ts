import { expect, it } from 'vitest'
import { toFormQuestions, toQuestions } from './question-values.ts'

const QUESTIONS = {
  urgent: { type: 'noul', instructions: 'Urgent?' },
  sure: { type: 'noul', instructions: 'Sure?', criteria: { true: 'Yes' } },
  team: { type: 'choice', instructions: 'Who?', criteria: { billing: 'Money', tech: null } },
  anger: { type: 'score', criteria: ['calm', 'furious'] },
  ['__proto__']: { type: 'choice', instructions: 'x', criteria: { constructor: null, ['__proto__']: 'y' } },
}

it('turns questions into fields and back', () => {
  expect(JSON.stringify(toQuestions(toFormQuestions(QUESTIONS)!))).toBe(JSON.stringify(QUESTIONS))
})

it.each([
  ['a list', []],
  ['nothing', {}],
  ['an unknown type', { q: { type: 'riddle' } }],
  ['a threshold', { q: { type: 'noul', instructions: 'x', min_confidence: 0.5 } }],
  ['structured text', { q: { type: 'noul', instructions: { text: 'x' } } }],
  ['a structured meaning', { q: { type: 'choice', criteria: { a: { b: 1 }, c: null } } }],
  ['a score of options', { q: { type: 'score', criteria: { a: null, b: null } } }],
  ['a choice of levels', { q: { type: 'choice', criteria: ['a', 'b'] } }],
  ['a yes or no of options', { q: { type: 'noul', instructions: 'x', criteria: { maybe: 'x' } } }],
])('leaves %s to the JSON editor', (_, value) => {
  expect(toFormQuestions(value)).toBeUndefined()
})

it('refuses two of one name, which an object cannot hold', () => {
  const question = { name: 'q', type: 'noul', instructions: 'x', entries: [] } as const
  expect(() => toQuestions([question, question])).toThrow('Two questions have the name "q"')
  const entries = [
    { name: 'a', text: '' },
    { name: 'a', text: '' },
  ]
  expect(() => toQuestions([{ ...question, type: 'choice', entries }])).toThrow('Two options have the name "a"')
})
