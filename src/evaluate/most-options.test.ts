import { expect, it } from 'vitest'
import type { Decides } from './evaluate-options.ts'
import { evaluate } from './evaluate.ts'
import type { LabelledRow } from './labelled-rows.ts'

it('takes as many options of a choice as the engine does, unless it is told another number', async () => {
  const names = Array.from({ length: 30 }, (_, index) => `option ${index}`)
  const probabilities = Object.fromEntries(names.map((name, index) => [name, index === 7 ? 1 : 0]))
  const wide = (more: object): Decides => ({
    ...more,
    decide: (async () => ({
      model: 'wide',
      answers: { q: { type: 'choice', choice: 'option 7', probabilities, confidence: 1 } },
      usage: { input_tokens: 1, output_tokens: 0 },
    })) as unknown as Decides['decide'],
  })
  const question = { type: 'choice', criteria: Object.fromEntries(names.map((name) => [name, null])) } as const
  const rows: LabelledRow[] = [{ state: '', questions: { q: question }, labels: { q: 'option 7' } }]
  expect((await evaluate(wide({ maxOptions: 30 }), rows)).overall.accuracy).toBe(1)
  const refused = (most: number) => `rows.0.questions.q.criteria: a choice needs 2 to ${most} options, got 30`
  await expect(evaluate(wide({}), rows)).rejects.toThrow(refused(26))
  await expect(evaluate(wide({ maxOptions: 29 }), rows)).rejects.toThrow(refused(29))
  await expect(evaluate(wide({ maxOptions: 30 }), rows, { maxOptions: 28 })).rejects.toThrow(refused(28))
})
