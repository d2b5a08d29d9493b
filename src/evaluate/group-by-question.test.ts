import { expect, it } from 'vitest'
import { readHead } from '../decide/question-head.ts'
import { featureListenerOf } from '../engine/calls/call-features.ts'
import type { DecisionRequest } from '../schemas/index.ts'
import { type Calibrates, calibrate } from './calibrate.ts'
import type { Decides } from './evaluate-options.ts'
import { evaluate } from './evaluate.ts'
import type { LabelledRow } from './labelled-rows.ts'

const OPTIONS = ['billing', 'tech', 'other']
const ORDERS = [OPTIONS, ['tech', 'other', 'billing'], ['other', 'billing', 'tech']]

/** Always thinks billing likeliest; its hidden states have two numbers for each option, of which the second says which is right. */
const engineOf = (template: string): Calibrates => ({
  decide: (async ({ state, questions }: DecisionRequest, call?: object) => {
    const { right } = state as unknown as { right: string }
    const keys = Object.keys(questions['team']!.criteria!)
    const rows = keys.flatMap((key, index) => [index, key === right ? 1 : 0])
    featureListenerOf(call)?.onFeatures({ team: Float32Array.from([1, 1, ...rows]) })
    const probabilities = Object.fromEntries(keys.map((key) => [key, key === 'billing' ? 0.6 : 0.2]))
    return {
      model: 'm',
      answers: { team: { type: 'choice', choice: 'billing', probabilities, confidence: 0.4 } },
      usage: { input_tokens: 1 },
    }
  }) as unknown as Calibrates['decide'],
  models: () =>
    Promise.resolve([
      {
        name: 'decide-latest',
        id: 'm',
        available: true,
        identity: { id: 'm', version: '1', weights: 'float', template },
      },
    ]),
})

/** Rows whose options come in turn in each order; two in three are of tech. */
const rowsOf = (n: number): LabelledRow[] =>
  Array.from({ length: n }, (_, index) => {
    const right = index % 3 === 0 ? 'other' : 'tech'
    const order = ORDERS[Math.floor(index / 2) % 3]!
    const criteria = Object.fromEntries(order.map((key) => [key, null]))
    return {
      state: { right, index },
      questions: { team: { type: 'choice', instructions: 'Which team?', criteria } },
      labels: { team: right },
    }
  })

it('rows with options in another order are of one question where the model does not look at it', async () => {
  const { calibration, questions } = await calibrate(engineOf('tree-1'), rowsOf(60))
  expect(questions).toMatchObject([{ name: 'team', status: 'fitted', rows: 60 }])
  const [{ bias, options, question }] = calibration.questions as [(typeof calibration.questions)[number]]
  expect(Object.keys(question.criteria as object)).toEqual(OPTIONS)
  expect(options).toEqual(OPTIONS)
  expect(bias[1]).toBeGreaterThan(bias[2]!)
  expect(bias[2]).toBeGreaterThan(bias[0]!)
  expect(questions[0]!.after.accuracy).toBeCloseTo(2 / 3)
})

it('heads read what the model makes of an option wherever it stands', async () => {
  const { calibration, questions } = await calibrate(engineOf('tree-1'), rowsOf(120))
  expect(questions).toMatchObject([{ head: 'fitted', rows: 120 }])
  expect(questions[0]!.withHead!.accuracy).toBe(1)
  expect(readHead(calibration.questions[0]!.head!, 3)).toHaveLength(12)
})

it('of other models each order is a question', async () => {
  const { questions } = await calibrate(engineOf('chat-1'), rowsOf(60))
  expect(questions.map(({ rows }) => rows)).toEqual([20, 20, 20])
})

it('what is most frequent, and what is taken for what, is counted by option and not by its place', async () => {
  const rows = rowsOf(60)
  const { overall, questions } = await evaluate(engineOf('tree-1') as Decides, rows)
  expect([overall.majority, questions['team']!.majority]).toEqual([2 / 3, 2 / 3])
  expect(questions['team']!.confusion).toEqual({
    options: OPTIONS,
    counts: [
      [0, 0, 0],
      [40, 0, 0],
      [20, 0, 0],
    ],
  })
})

it('figures of rows whose options are equally probable, in other orders, agree with each other', async () => {
  const decide = (async ({ questions }: { questions: Record<string, { criteria: object }> }) => ({
    model: 'undecided',
    usage: { input_tokens: 1 },
    answers: {
      team: {
        type: 'choice',
        probabilities: Object.fromEntries(Object.keys(questions['team']!.criteria).map((key) => [key, 0.5])),
      },
    },
  })) as unknown as Decides['decide']
  const rows = ['tech', 'sales'].map((first) => {
    const criteria = first === 'tech' ? { tech: null, sales: null } : { sales: null, tech: null }
    return { state: first, questions: { team: { type: 'choice', criteria } }, labels: { team: 'tech' } } as const
  })
  const { overall, right, coverage, reliability } = await evaluate({ decide }, rows)
  expect(overall.accuracy).toBe(1)
  expect(right).toEqual([true, true])
  expect(coverage).toMatchObject([{ coverage: 1, error: 0 }])
  expect(reliability).toMatchObject([{ n: 2, accuracy: 1 }])
})
