import { describe, expect, it, vi } from 'vitest'
import { parseDecisionRequest } from '../../schemas/index.ts'
import { planRequest } from './plan.ts'
import type { Template } from './template.ts'

/** One token a character. */
const template: Template = {
  opening: [0, 0],
  closing: [9],
  mostOptions: 26,
  state: (text) => ({ opening: [0, 0], ids: Array.from(String(text), () => 1) }),
  question: ({ instructions }) => {
    const ids = Array.from(String(instructions), () => 2)
    return [{ ids }]
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
  const windowsOf = (...lengths: number[]) => planRequest(ask(...lengths), template, limits).scans[0]!.windows

  it('reads the state in the same windows, whatever is asked', () => {
    const windows = windowsOf(5)
    expect(windows.length).toBeGreaterThan(1)
    expect(windowsOf(5, 500)).toEqual(windows)
  })

  it('leaves room for the longest question in every window, and for what ends it', () => {
    const longest = Math.max(...windowsOf(500).map(({ start, end }) => end - start))
    expect(longest + 500 + template.opening.length + template.closing.length).toBeLessThanOrEqual(1000)
  })

  it('shows the whole state to every question that fits beside it, whatever else is asked', () => {
    const asked = { ...ask(5, 100, 97, 400), state: 's'.repeat(900) }
    const { scans } = planRequest(asked, template, limits)
    expect(scans).toEqual([
      { windows: [{ start: 0, end: 900 }], questions: [0, 2] },
      { windows: [expect.anything(), expect.anything()], questions: [1, 3] },
    ])
    const alone = planRequest({ ...asked, questions: { q1: asked.questions['q1']! } }, template, limits)
    expect(alone.scans[0]!.windows).toEqual(scans[1]!.windows)
  })

  it('refuses a question that is too long before it looks at the next', () => {
    const question = vi.fn<Template['question']>(template.question)
    const plan = () => planRequest(ask(501, 5, 5), { ...template, question }, limits)
    expect(plan).toThrow(expect.objectContaining({ path: 'questions.q0' }))
    expect(question).toHaveBeenCalledTimes(1)
  })
})
