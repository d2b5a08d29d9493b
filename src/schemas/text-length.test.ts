import { describe, expect, it } from 'vitest'
import { countCharacters, parseDecisionRequest } from './index.ts'
import { faultOf } from './test-support/fault-of.ts'
import { ask, noul, score, times } from './test-support/questions.ts'

const refuse = (body: unknown) => faultOf(() => parseDecisionRequest(body))

describe('the length of a state', () => {
  const sized = (state: unknown) => ({ state, questions: { noul } })

  it.each([
    ['a string', (count: number) => 'x'.repeat(count)],
    ['a string of emoji, each one character', (count: number) => '🎯'.repeat(count)],
    ['an object, as compact JSON', (count: number) => ({ a: 'x'.repeat(count - 8) })],
    ['an array, as compact JSON with escapes', (count: number) => ['\n"'.repeat(5), 'é'.repeat(count - 27)]],
    ['an array of numbers', (count: number) => [...times((count - 4) / 2, 1), 10]],
  ])('%s is accepted with 200,000 characters and refused with one more', (_, make) => {
    for (const count of [199_998, 200_000]) {
      expect(() => parseDecisionRequest(sized(make(count)))).not.toThrow()
    }
    const fault = refuse(sized(lengthen(make(200_000))))
    expect(fault.path).toBe('state')
    expect(fault.reason).toMatch(/^must be at most 200,000 characters, got (200,001|more than 200,000)$/)
  })

  it('says how long a string was', () => {
    expect(refuse(sized('x'.repeat(400_001))).reason).toBe('must be at most 200,000 characters, got 400,001')
  })

  it('is the limit of every single text too', () => {
    expect(() => parseDecisionRequest(ask({ ...noul, instructions: 'x'.repeat(200_000) }))).not.toThrow()
    expect(refuse(ask({ ...noul, instructions: 'x'.repeat(200_001) })).path).toBe('questions.q.instructions')
    expect(refuse(ask({ ...score, criteria: ['a', ['x'.repeat(200_000)]] })).path).toBe('questions.q.criteria.1')
  })

  function lengthen(state: string | object): unknown {
    if (typeof state === 'string') return state + 'x'
    if (!Array.isArray(state)) return { a: (state as { a: string }).a + 'x' }
    const last: unknown = state.at(-1)
    return [...state.slice(0, -1), typeof last === 'string' ? last + 'x' : 100]
  }
})

describe('countCharacters', () => {
  it('counts code points, and a lone surrogate as one', () => {
    for (const text of ['', 'abc', 'é', 'e\u0301', '🎯x🎯', '\ud800', 'a\udc00b', '\ud800\ud800\udc00']) {
      expect(countCharacters(text)).toBe([...text].length)
    }
  })
})
