import { describe, expect, it, vi } from 'vitest'
import { parseDecisionRequest } from '../../schemas/index.ts'
import { planRequest } from './plan.ts'
import type { Template } from './template.ts'

/** One token a character. */
const template: Template = {
  opening: [0, 0],
  mostOptions: 26,
  state: (text) => Array.from(text, () => 1),
  question: ({ instructions }) => {
    const ids = Array.from(String(instructions), () => 2)
    return { ids, offsets: ids.map((_, index) => index), parts: ids.map(() => 0), rows: [ids.length - 1] }
  },
}
const limits = { positions: 1000, window: { tokens: 1000, overlap: 10 } }
const ask = (...lengths: number[]) =>
  parseDecisionRequest({
    state: 's'.repeat(1500),
    questions: Object.fromEntries(
      lengths.map((length, index) => [`q${index}`, { type: 'noul', instructions: 'x'.repeat(length) }]),
    ),
  })

describe('planRequest', () => {
  it('reads the state in the same windows, whatever is asked', () => {
    const { windows } = planRequest(ask(5), template, limits)
    expect(windows.length).toBeGreaterThan(1)
    expect(planRequest(ask(5, 500), template, limits).windows).toEqual(windows)
  })

  it('leaves room for the longest question in every window', () => {
    const { windows } = planRequest(ask(500), template, limits)
    expect(
      Math.max(...windows.map(({ start, end }) => end - start)) + 500 + template.opening.length,
    ).toBeLessThanOrEqual(1000)
  })

  it('refuses a question that is too long before it looks at the next', () => {
    const question = vi.fn<Template['question']>(template.question)
    const plan = () => planRequest(ask(501, 5, 5), { ...template, question }, limits)
    expect(plan).toThrow(expect.objectContaining({ path: 'questions.q0' }))
    expect(question).toHaveBeenCalledTimes(1)
  })
})
