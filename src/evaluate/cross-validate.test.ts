import { expect, it } from 'vitest'
import { type Calibrates, calibrate } from './calibrate.ts'
import { crossValidateHead } from './cross-validate-head.ts'
import { foldsOf, logLoss } from './cross-validate.ts'
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

/** Each of 60 texts three times, with hidden states of its own and a label that nothing tells. */
function repeatedTexts() {
  let seed = 7
  const draw = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32
  const once = Array.from({ length: 60 }, (_, index) => ({
    type: 'noul' as const,
    probabilities: [0.5, 0.5],
    gold: draw() < 0.5 ? 0 : 1,
    state: { index },
    features: Float32Array.from({ length: 3 * 32 }, () => draw() - 0.5),
  }))
  return [...once, ...once, ...once]
}

it('rows of one text are in one part', () => {
  for (const { part, rest } of foldsOf(repeatedTexts(), 5)) {
    const texts = new Set(part.map(({ state }) => state.index))
    expect([texts.size, part.length]).toEqual([12, 36])
    expect(rest.filter(({ state }) => texts.has(state.index))).toEqual([])
  }
})

it('a head gains nothing from having seen the same texts before', async () => {
  const { heldOut } = await crossValidateHead(repeatedTexts())
  expect(heldOut).toHaveLength(180)
  expect(logLoss(heldOut)).toBeGreaterThan(Math.log(2) - 0.01)
})

it('nothing is fitted to one text', async () => {
  const { calibration, questions } = await calibrate(
    engine,
    Array.from({ length: 120 }, (_, index) => ({ ...rows[index % 20]!, state: 'the same' })),
  )
  expect(questions).toMatchObject([{ status: 'too few', head: 'too few' }])
  expect(calibration.questions).toEqual([])
})
