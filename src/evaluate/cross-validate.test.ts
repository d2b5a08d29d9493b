import { expect, it } from 'vitest'
import { type Calibrates, calibrate } from './calibrate.ts'
import type { LabelledRow } from './labelled-rows.ts'

const IDENTITY = { id: 'oracle', version: '1', weights: 'float32', template: 'tree-1' }
const answer = { answers: { q: { type: 'noul', noul: 0.7 } }, usage: { input_tokens: 1 }, latency_ms: 0 }
/** A model without hidden states, so that no head is tried. */
const engine: Calibrates = {
  decide: (async () => ({ model: 'oracle', ...answer })) as unknown as Calibrates['decide'],
  models: async () => [{ name: 'decide-latest', id: 'oracle', available: true, identity: IDENTITY }],
}
const rows = Array.from({ length: 20 }, (_, index): LabelledRow => {
  const questions = { q: { type: 'noul', instructions: 'Is it?' } } as const
  return { state: { index }, questions, labels: { q: index % 2 === 0 } }
})

it('calibrating stops between the fits of a question', async () => {
  const controller = new AbortController()
  const fitting = calibrate(engine, rows, {
    signal: controller.signal,
    onProgress: ({ done, total }) => {
      if (done === total) setTimeout(() => controller.abort())
    },
  })
  await expect(fitting).rejects.toMatchObject({ code: 'aborted' })
})

it('calibrating gives others their turn between the fits of a question', async () => {
  let turns = 0
  const timer = setInterval(() => turns++)
  await calibrate(engine, rows)
  clearInterval(timer)
  expect(turns).toBeGreaterThan(2)
})
