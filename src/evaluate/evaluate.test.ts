import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { InvalidRequestError } from '../errors/index.ts'
import { calibrate } from './calibrate.ts'
import type { Decides, EvaluateOptions } from './evaluate-options.ts'
import { evaluate } from './evaluate.ts'
import { formatEvaluation, points } from './format-evaluation.ts'
import { compareEvaluations } from './index.ts'
import type { LabelledRow } from './labelled-rows.ts'
import { renderReport } from './report-page.ts'

const QUESTIONS = {
  urgent: { type: 'noul', instructions: 'Is it urgent?' },
  team: { type: 'choice', instructions: 'Which team?', criteria: { billing: 'money', tech: 'bugs' } },
  anger: { type: 'score', instructions: 'How angry?', criteria: ['calm', 'annoyed', 'furious'] },
} as const

/** Answers what the state itself says, as `[P(yes), P(billing), P(levels)]`. */
const oracle: Decides = {
  decide: (async ({ state }: { state: readonly [number, number, readonly number[]] }) => {
    const [yes, billing, levels] = state
    return {
      model: 'oracle',
      answers: {
        urgent: { type: 'noul', noul: yes },
        team: { type: 'choice', choice: '', probabilities: { billing, tech: 1 - billing }, confidence: 0 },
        anger: { type: 'score', score: 0, legend: {}, probabilities: { ...levels }, confidence: 0 },
      },
      usage: { input_tokens: 10, output_tokens: 0 },
      latency_ms: 0,
    }
  }) as unknown as Decides['decide'],
}

const row = (state: readonly unknown[], labels: LabelledRow['labels']): LabelledRow => ({
  state,
  questions: QUESTIONS,
  labels,
})
const ROWS = [
  row([0.9, 0.8, [0.8, 0.2, 0]], { urgent: true, team: 'billing', anger: 0 }),
  row([0.6, 0.3, [0, 0.5, 0.5]], { urgent: false, team: 'tech', anger: 2 }),
  row([0.2, 0.6, [0, 0, 1]], { urgent: false, team: 'tech', anger: 2 }),
  row([0.7, 0.1, [1, 0, 0]], { team: 'tech' }),
]

it('measures accuracy, Brier score, calibration, levels and confusion by question', async () => {
  const seen: number[] = []
  const { model, rows, overall, questions, cost } = await evaluate(oracle, ROWS, {
    onProgress: ({ done }) => seen.push(done),
  })
  expect({ model, rows, tokens: cost.inputTokens }).toEqual({ model: 'oracle', rows: 4, tokens: 40 })
  expect(seen).toEqual([1, 2, 3, 4])
  expect(overall.n).toBe(10)
  expect(questions['urgent']).toMatchObject({ type: 'noul', n: 3, accuracy: 2 / 3, majority: 2 / 3 })
  expect(questions['urgent']!.brier).toBeCloseTo((2 * (0.01 + 0.36 + 0.04)) / 3)
  // Winning options have 0.9 (right), 0.6 (wrong) and 0.8 (right), each in a bin of its own.
  expect(questions['urgent']!.ece).toBeCloseTo((0.1 + 0.6 + 0.2) / 3)
  expect(questions['urgent']!.eceByChance).toBeCloseTo((0.18 + 0.48 + 0.32) / 3)
  expect(questions['urgent']!.confusion).toEqual({
    options: ['yes', 'no'],
    counts: [
      [1, 0],
      [1, 1],
    ],
  })
  expect(questions['team']!.confusion!.counts).toEqual([
    [1, 0],
    [1, 2],
  ])
  // Of the two most probable levels of the second row the lower one counts.
  expect(questions['anger']).toMatchObject({ n: 3, accuracy: 2 / 3 })
  expect(questions['anger']!.mae).toBeCloseTo((0.2 + 0.5 + 0) / 3)
  expect(questions['anger']!.rankCorrelation).toBeCloseTo(Math.sqrt(3) / 2)
})

it('says what share can be decided at which error', async () => {
  const { questions } = await evaluate(oracle, ROWS)
  expect(questions['urgent']!.coverage).toEqual([
    { threshold: expect.closeTo(0.8), coverage: 1 / 3, error: 0 },
    { threshold: expect.closeTo(0.6), coverage: 2 / 3, error: 0 },
    { threshold: expect.closeTo(0.2), coverage: 1, error: 1 / 3 },
  ])
})

it('gives thresholds that decide what they are said to when they are copied', async () => {
  const rows = [0.99975, 0.99973, 0.6].map((yes) => row([yes, 1, [1, 0, 0]], { urgent: yes > 0.9997 }))
  const evaluation = await evaluate(oracle, rows)
  // Confidences 0.9995, 0.99946 and 0.2, of which 0.9995 was printed as 1.000.
  expect(evaluation.questions['urgent']!.coverage.map(({ threshold }) => threshold)).toEqual([0.9995, 0.999, 0.199])
  const decided = '67 % decided with min_confidence 0.999, 0 % of them wrong (0 % to 66 %)'
  expect(formatEvaluation(evaluation)).toContain(`at most 1.0 % wrong: ${decided}\n`)
})

it.each([
  [[], /^rows: must have one row/],
  [null as never, /^rows: must be an array of labelled rows, got null/],
  [new Set(ROWS) as never, /^rows: must be an array of labelled rows, got /],
  [[null as never], /^rows\.0: must be a JSON object, got null/],
  [
    [row([1, 1, [1, 0, 0]], { other: true })],
    /^rows\.0\.labels\.other: no question of that name; there are urgent, team, anger/,
  ],
  [[ROWS[0]!, row([1, 1, []], { urgent: 'yes' })], /^rows\.1\.labels\.urgent: must be true or false, got "yes"/],
  [[row([1, 1, []], { team: 'sales' })], /^rows\.0\.labels\.team: must be one of billing, tech, got "sales"/],
  [[row([1, 1, []], { anger: 3 })], /^rows\.0\.labels\.anger: must be a level from 0 to 2, got 3/],
  ...[null, '', ' ', [], [1], '0x1', 0.5, true].map((label): [LabelledRow[], RegExp] => [
    [row([1, 1, []], { anger: label as number })],
    /^rows\.0\.labels\.anger: must be a level from 0 to 2, got /,
  ]),
  [
    [row([1, 1, []], { team: ['tech'] as never })],
    /^rows\.0\.labels\.team: must be one of billing, tech, got \["tech"\]/,
  ],
  [[row([1, 1, []], {})], /^rows\.0\.labels: must be an object/],
  [[{ ...ROWS[0]!, questions: {} }], /^rows\.0\.questions: /],
])('names row and field of what it cannot evaluate (%#)', async (rows, message) => {
  const error = await evaluate(oracle, rows).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(InvalidRequestError)
  expect((error as Error).message).toMatch(message)
})

it.each([
  [{ concurency: 3 }, 'concurency: is no option of evaluate; those are signal, onProgress, concurrency, maxOptions'],
  [{ concurrency: 0 }, 'concurrency: must be a whole number of 1 or more, got 0'],
  [{ maxOptions: 1 }, 'maxOptions: must be a whole number of 2 or more, got 1'],
])('refuses options that nothing reads, and no numbers (%#)', async (options, message) => {
  await expect(evaluate(oracle, ROWS, options as EvaluateOptions)).rejects.toThrow(message)
})

it('names row and field of what the model refuses, and leaves what else is refused as it is', async () => {
  const refusing = (path: string, loc: readonly string[]): Decides => ({
    decide: ((request: never, call: never) =>
      request['state'] === ROWS[2]!.state
        ? Promise.reject(new InvalidRequestError(path, 'is too long', { loc }))
        : oracle.decide(request, call)) as Decides['decide'],
  })
  await expect(evaluate(refusing('questions.a.b', ['questions', 'a.b']), ROWS)).rejects.toMatchObject({
    path: 'rows.2.questions.a.b',
    reason: 'is too long',
    loc: ['rows', '2', 'questions', 'a.b'],
  })
  await expect(evaluate(refusing('engine', ['engine']), ROWS)).rejects.toMatchObject({ path: 'engine' })
  // The row names no model: its engine has one that makes no decisions.
  await expect(evaluate(refusing('model', ['model']), ROWS)).rejects.toMatchObject({ path: 'model' })
})

it('stops on an abort', async () => {
  const controller = new AbortController()
  const evaluating = evaluate(oracle, ROWS, {
    signal: controller.signal,
    concurrency: 1,
    onProgress: () => controller.abort(),
  })
  await expect(evaluating).rejects.toMatchObject({ code: 'aborted' })
})

it('ends with what an async listener of its progress throws', async () => {
  const onProgress = () => Promise.reject(new Error('disk full'))
  await expect(evaluate(oracle, ROWS, { onProgress })).rejects.toThrow('disk full')
})

it('ends with what such a listener throws after the last row', async () => {
  const onProgress = ({ done, total }: { done: number; total: number }) =>
    done === total ? sleep(5).then(() => Promise.reject(new Error('disk full'))) : undefined
  await expect(evaluate(oracle, ROWS, { onProgress })).rejects.toThrow('disk full')
})

it('does not wait for its progress listener with the next row, nor when it is aborted', async () => {
  const controller = new AbortController()
  const seen: number[] = []
  const onProgress = ({ done }: { done: number }) => new Promise<never>(() => seen.push(done))
  const evaluating = evaluate(oracle, ROWS, { signal: controller.signal, concurrency: 1, onProgress })
  await expect.poll(() => seen).toEqual([1, 2, 3, 4])
  controller.abort('enough')
  await expect(evaluating).rejects.toMatchObject({ code: 'aborted', cause: 'enough' })
})

it('asks nothing more after a row that every other would fail like', async () => {
  let asked = 0
  const decide = async ({ state }: { state: string }, { signal }: { signal: AbortSignal }) => {
    asked++
    if (state === 'bad') throw new InvalidRequestError('model', 'makes no decisions')
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
  }
  const rows = ['good', 'bad', 'good', 'good'].map((state) => ({ ...ROWS[0]!, state }))
  await expect(evaluate({ decide: decide as never }, rows)).rejects.toThrow('model: makes no decisions')
  expect(asked).toBe(2)
})

it('names the engine where it is none', async () => {
  await expect(evaluate(undefined as never, ROWS)).rejects.toThrow(
    'engine: must be an engine, with decide, got undefined',
  )
  const lacking = calibrate({ decide: oracle.decide } as never, ROWS)
  await expect(lacking).rejects.toThrow('engine: must be an engine, with decide and models, got an object')
})

it('compares two models question by question', async () => {
  const evaluation = await evaluate(oracle, ROWS)
  const worse = { ...evaluation, right: evaluation.right.map((right, index) => right && index > 0) }
  expect(compareEvaluations(evaluation, worse)).toMatchObject({ onlyFirst: 1, onlySecond: 0, difference: 0.1 })
})

it('says what it cannot compare', async () => {
  const evaluation = await evaluate(oracle, ROWS)
  const compare = (first: unknown, second: unknown) => () => compareEvaluations(first as never, second as never)
  const shorter = { ...evaluation, right: evaluation.right.slice(1) }
  expect(compare(evaluation, shorter)).toThrow('evaluations: must be of the same rows, got 10 and 9 questions')
  expect(compare(undefined, evaluation)).toThrow('first: must be an evaluation, as evaluate gives it, got undefined')
  expect(compare(evaluation, [evaluation])).toThrow('second: must be an evaluation, as evaluate gives it, got an array')
})

it.each([
  [0.464, '46 points'],
  [0.0516, '5.2 points'],
  [0, '0 points'],
])('says differences of shares in points, which are no percent of a share (%s)', (share, text) => {
  expect(points(share)).toBe(text)
})

it('a margin is not 0 where all of a few answers are right', async () => {
  const { overall } = await evaluate(
    oracle,
    Array.from({ length: 20 }, () => ROWS[0]!).map(({ labels, ...rest }) => ({
      ...rest,
      labels: { urgent: labels['urgent']! },
    })),
  )
  expect([overall.n, overall.accuracy]).toEqual([20, 1])
  expect(overall.margin).toBeCloseTo(0.0806, 4)
})

it('prints a table and a page without anything from elsewhere', async () => {
  const evaluation = { ...(await evaluate(oracle, ROWS)), model: '<oracle>' }
  const text = formatEvaluation(evaluation)
  expect(text).toMatch(/^<oracle>: 4 rows, 40 tokens in \d+\.\d s$/m)
  expect(text).toMatch(/^urgent +3 +0\.667 \(0\.208–0\.939\) +0\.667 +0\.273 +0\.300 +0\.327$/m)
  const sure = { ...evaluation.questions['urgent']!, n: 20, accuracy: 1 }
  expect(formatEvaluation({ ...evaluation, questions: { sure } })).toMatch(/^sure +20 +1\.000 \(0\.839–1\.000\) /m)
  expect(text).toMatch(
    /^at most 1\.0 % wrong: \d+ % decided with min_confidence 0\.\d+, 0 % of them wrong \(0 % to .*\)\nat most 5\.0 %/m,
  )
  expect(text).toMatch(/^billing +1 +0$/m)
  const page = renderReport([evaluation, evaluation])
  expect(page).toContain('&#60;oracle&#62; against &#60;oracle&#62;: +0 points right (± 16 points); only the first 0')
  expect(page).toContain('&#60;oracle&#62;')
  expect(page).not.toContain('<oracle>')
  expect(page).not.toMatch(/https?:|<script/)
})
