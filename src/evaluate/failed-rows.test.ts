import { expect, it } from 'vitest'
import { InsufficientMemoryError, OverloadedError, WorkerCrashedError } from '../errors/index.ts'
import { type Calibrates, calibrate } from './calibrate.ts'
import { evaluate } from './evaluate.ts'
import { formatEvaluation } from './format-evaluation.ts'
import { compareEvaluations } from './index.ts'
import type { LabelledRow } from './labelled-rows.ts'

const QUESTIONS = { q: { type: 'noul', instructions: 'Is it?' } } as const
const rowsOf = (count: number): LabelledRow[] =>
  Array.from({ length: count }, (_, index) => ({
    state: String(index),
    questions: QUESTIONS,
    labels: { q: index % 2 === 0 },
  }))
const IDENTITY = { id: 'm', version: '1', weights: 'float', template: 'tree-1' }

/** A model that is right in all, where `fails` has no error for the n-th time that a row is asked. */
function createModel(fails: (row: number, time: number) => Error | undefined) {
  const asked: number[] = []
  const decide = async ({ state }: { state: string }) => {
    const row = Number(state)
    asked.push(row)
    const error = fails(row, asked.filter((one) => one === row).length)
    if (error) throw error
    const answers = { q: { type: 'noul', noul: row % 2 === 0 ? 0.9 : 0.1 } }
    return { model: 'm', answers, usage: { input_tokens: 1, output_tokens: 0 }, latency_ms: 0 }
  }
  const models = () => Promise.resolve([{ name: 'decide-latest', id: 'm', available: true, identity: IDENTITY }])
  return { asked, engine: { decide, models } as unknown as Calibrates }
}

const crash = new WorkerCrashedError('it was killed')
const memory = new InsufficientMemoryError('no room', 'Close others')

it('a row that fails for a reason that passes is asked again at the end', async () => {
  const { asked, engine } = createModel((row, time) => (row === 1 && time === 1 ? crash : undefined))
  const seen: number[] = []
  const evaluation = await evaluate(engine, rowsOf(5), {
    concurrency: 1,
    onProgress: ({ done }) => seen.push(done),
  })
  expect(asked).toEqual([0, 1, 2, 3, 4, 1])
  expect(seen).toEqual([1, 2, 3, 4, 5])
  expect(evaluation).toMatchObject({ rows: 5, failed: [], right: [true, true, true, true, true] })
})

it('waits with it as long as it is told', async () => {
  const full = new OverloadedError('full', { retryAfterMs: 80 })
  const { engine } = createModel((row, time) => (row === 1 && time === 1 ? full : undefined))
  const began = performance.now()
  expect((await evaluate(engine, rowsOf(3))).failed).toEqual([])
  expect(performance.now() - began).toBeGreaterThan(70)
})

it('a row that fails again is left out of the figures and said so', async () => {
  const { engine } = createModel((row) => (row === 1 ? memory : undefined))
  const evaluation = await evaluate(engine, rowsOf(5))
  expect(evaluation).toMatchObject({ rows: 4, right: [true, null, true, true, true], overall: { n: 4 } })
  expect(evaluation.failed).toEqual([{ row: 1, error: memory }])
  expect(formatEvaluation(evaluation)).toMatch(/^m: 4 rows and 1 that could not be answered, /)
})

it('two models are compared by the rows that both have answered', async () => {
  const first = await evaluate(createModel((row) => (row === 1 ? memory : undefined)).engine, rowsOf(5))
  const second = await evaluate(createModel((row) => (row === 3 ? memory : undefined)).engine, rowsOf(5))
  const worse = { ...second, right: second.right.map((right, row) => (row === 0 || row === 1 ? false : right)) }
  expect(compareEvaluations(first, worse)).toMatchObject({ onlyFirst: 1, onlySecond: 0, difference: 1 / 3 })
  const none = { ...second, right: [null, false, null, null, null] }
  expect(() => compareEvaluations(first, none)).toThrow('evaluations: must have a row that both models have answered')
})

it('a calibration is fitted to the rows that were answered', async () => {
  const { engine } = createModel((row) => (row === 7 ? memory : undefined))
  const { questions, failed } = await calibrate(engine, rowsOf(30))
  expect(questions).toMatchObject([{ rows: 29 }])
  expect(failed).toEqual([{ row: 7, error: memory }])
})

it('ends where no row is answered', async () => {
  const { asked, engine } = createModel(() => crash)
  await expect(evaluate(engine, rowsOf(100), { concurrency: 1 })).rejects.toBe(crash)
  expect(asked).toEqual([0, 1, 2])
  await expect(evaluate(engine, rowsOf(2))).rejects.toBe(crash)
})

it('does not ask all again where the first of them fail again', async () => {
  const { asked, engine } = createModel((row) => (row >= 10 ? crash : undefined))
  const { rows, failed } = await evaluate(engine, rowsOf(100))
  expect([rows, failed.length, asked.length]).toEqual([10, 90, 108])
})
