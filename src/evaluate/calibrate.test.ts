import { describe, expect, it } from 'vitest'
import { toProbabilities } from '../decide/calibrate.ts'
import { readHead } from '../decide/question-head.ts'
import { featureListenerOf } from '../engine/calls/call-features.ts'
import { createEngine } from '../engine/index.ts'
import { type Calibrates, calibrate } from './calibrate.ts'
import { fitQuestion } from './fit-question.ts'
import type { LabelledRow } from './labelled-rows.ts'
import type { Outcome } from './outcome.ts'

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Outcomes whose right options are drawn from `softmax(z)`, while the model claims `softmax(claim(z))`. */
function simulate(n: number, type: Outcome['type'], options: number, claim: (z: number[]) => number[]): Outcome[] {
  const random = randomNumbers(7)
  return Array.from({ length: n }, () => {
    const z = Array.from({ length: options }, () => 4 * random() - 2)
    const drawn = random()
    let sum = 0
    const gold = toProbabilities(z).findIndex((p) => (sum += p) > drawn)
    return { type, probabilities: toProbabilities(claim(z)), gold: Math.max(0, gold) }
  })
}

describe('the fit of one question', () => {
  it('finds the temperature of a model that is too sure', async () => {
    const { temperature, bias } = await fitQuestion(simulate(3000, 'choice', 4, (z) => z.map((value) => 3 * value)))
    expect(temperature).toBeGreaterThan(2.7)
    expect(temperature).toBeLessThan(3.4)
    for (const value of bias) expect(Math.abs(value)).toBeLessThan(0.15)
  })

  it('finds the bias of a model that says yes too often', async () => {
    const { temperature, bias } = await fitQuestion(simulate(3000, 'noul', 2, ([yes, no]) => [yes! + 1.5, no!]))
    expect(temperature).toBeCloseTo(1, 0)
    expect(bias[0]).toBeGreaterThan(-1.65)
    expect(bias[0]).toBeLessThan(-1.25)
    expect(bias[1]).toBe(0)
  })

  it('tilts the levels of a score', async () => {
    const { bias } = await fitQuestion(simulate(3000, 'score', 5, (z) => z.map((value, level) => value - 0.5 * level)))
    expect(bias).toHaveLength(5)
    for (const [level, value] of bias.slice(1).entries()) expect(value - bias[level]!).toBeCloseTo(0.5, 0)
  })

  it('stays near the shipped calibration where rows are few', async () => {
    const few = await fitQuestion(simulate(10, 'noul', 2, ([yes, no]) => [yes! + 1.5, no!]))
    expect(Math.abs(few.bias[0]!)).toBeLessThan(0.8)
    expect(few.temperature).toBeGreaterThan(0.5)
    expect(few.temperature).toBeLessThan(2)
  })
})

describe('calibrate', () => {
  const IDENTITY = { id: 'oracle', version: '1', weights: 'float32', template: 'tree-1' }
  const engine: Calibrates = {
    decide: (async ({ state }: { state: { yes: number } }) => ({
      model: 'oracle',
      answers: { q: { type: 'noul', noul: state.yes } },
      usage: { input_tokens: 1, output_tokens: 0 },
      latency_ms: 0,
    })) as unknown as Calibrates['decide'],
    models: () => Promise.resolve([{ name: 'decide-latest', id: 'oracle', available: true, identity: IDENTITY }]),
  }
  const rowsOf = (outcomes: readonly Outcome[], instructions = 'Is it?'): LabelledRow[] =>
    outcomes.map(({ probabilities, gold }) => ({
      state: { yes: probabilities[0]! },
      questions: { q: { type: 'noul', instructions } },
      labels: { q: gold === 0 },
    }))
  const tooSure = simulate(60, 'noul', 2, ([yes, no]) => [4 * yes! + 2, 4 * no!])
  const exact = simulate(60, 'noul', 2, (z) => z)

  it('corrects a question whose answers are wrong in a way that held-out rows share', async () => {
    const { calibration, questions } = await calibrate(engine, rowsOf(tooSure))
    expect(questions[0]).toMatchObject({ name: 'q', status: 'fitted', rows: 60, few: false })
    expect(questions[0]!.after.logLoss).toBeLessThan(questions[0]!.before.logLoss)
    expect(calibration.model).toEqual(IDENTITY)
    expect(calibration.questions).toMatchObject([{ question: { type: 'noul', instructions: 'Is it?' }, rows: 60 }])
    expect(calibration.questions[0]!.temperature).toBeGreaterThan(1.5)
  })

  it('keeps what held-out rows get no better from', async () => {
    const wrong = exact.map((outcome, index) => (index % 7 === 0 ? { ...outcome, gold: 1 - outcome.gold } : outcome))
    for (const outcomes of [exact, wrong]) {
      const { questions } = await calibrate(engine, rowsOf(outcomes))
      expect(questions[0]!.after.logLoss).toBeLessThanOrEqual(questions[0]!.before.logLoss)
      if (questions[0]!.status === 'kept') expect(questions[0]!.after).toEqual(questions[0]!.before)
    }
  })

  it('says where rows are too few, or all have one answer', async () => {
    const { calibration, questions } = await calibrate(engine, [
      ...rowsOf(tooSure.slice(0, 9), 'few'),
      ...rowsOf(
        tooSure.filter(({ gold }) => gold === 0),
        'one answer',
      ),
      ...rowsOf(tooSure.slice(0, 20), 'hardly enough'),
    ])
    expect(questions.slice(0, 2).map(({ status }) => status)).toEqual(['too few', 'too few'])
    expect(questions[2]).toMatchObject({ rows: 20, few: true })
    expect(calibration.questions.map(({ question }) => question.instructions)).not.toContain('few')
  })

  it('refuses an engine with two models of the name that answers', async () => {
    const models = ['1', '2'].map((version) => ({ name: version, available: true, identity: { ...IDENTITY, version } }))
    const several = { ...engine, models: () => Promise.resolve(models as never) }
    await expect(calibrate(several, rowsOf(exact.slice(0, 3)))).rejects.toThrow(
      /^engine: must serve one model 'oracle', .* got oracle 1 \(.*\); oracle 2 \(/,
    )
  })

  it('refuses an engine that does not say what its models are before it asks it, unless none is there', async () => {
    const decide = (() => Promise.reject(new Error('was asked'))) as Calibrates['decide']
    for (const models of [[], [{ name: 'decide-latest', id: 'oracle', available: true }]]) {
      const silent = calibrate({ decide, models: () => Promise.resolve(models) }, rowsOf(exact.slice(0, 3)))
      await expect(silent).rejects.toThrow(/^engine: must list its models with version, weights and template/)
    }
    await using empty = await createEngine({ worker: false, models: { 'decide-latest': './nowhere' } })
    await expect(calibrate(empty, rowsOf(exact.slice(0, 3)))).rejects.toMatchObject({ code: 'model_not_found' })
  })

  it('refuses rows that several models answer', async () => {
    const [first, second] = ['a', 'b'].map((model) => ({ ...rowsOf(exact.slice(0, 1))[0]!, model }))
    const decide = async (body: { model: string }) => ({ ...(await engine.decide(body as never)), model: body.model })
    const mixed = calibrate({ ...engine, decide: decide as never }, [first!, second!])
    await expect(mixed).rejects.toThrow('rows: must be answered by one model, got a and b; calibrate with')
  })

  it('refuses a model with adapters, whose answers no calibration corrects', async () => {
    await using adapted = await createEngine({ worker: false, loras: { 'decide-latest': [{ path: './nowhere' }] } })
    const rows = rowsOf(exact.slice(0, 3))
    for (const asked of [rows, rows.map((row) => ({ ...row, model: 'jev-latest' }))])
      await expect(calibrate(adapted, asked)).rejects.toThrow(/^engine: must compute 'decide-latest' without adapters/)
  })

  it('refuses an error that is no share', async () => {
    await expect(calibrate(engine, rowsOf(exact), { errors: 0.1 } as object)).rejects.toThrow(
      'errors: is no option of calibrate',
    )
    await expect(calibrate(engine, rowsOf(exact), { error: 5 })).rejects.toThrow(
      'error: must be a number from 0 to 1, got 5',
    )
  })
})

describe('a head of a question', () => {
  const WIDTH = 6
  const IDENTITY = { id: 'encoder', version: '1', weights: 'float', template: 'tree-1' }
  type Seen = { readonly features: readonly number[] }
  /** A model that knows nothing, and whose hidden states are what the state says. */
  const engine: Calibrates = {
    decide: (async ({ state }: { state: Seen }, call?: object) => {
      featureListenerOf(call)?.onFeatures({ q: Float32Array.from(state.features) })
      return {
        model: 'encoder',
        answers: { q: { type: 'noul', noul: 0.5 } },
        usage: { input_tokens: 1 },
        latency_ms: 0,
      }
    }) as unknown as Calibrates['decide'],
    models: () => Promise.resolve([{ name: 'decide-latest', id: 'encoder', available: true, identity: IDENTITY }]),
  }
  const rowsOf = (n: number, label: (features: readonly number[]) => boolean): LabelledRow[] => {
    const random = randomNumbers(11)
    return Array.from({ length: n }, () => {
      const features = Array.from({ length: 3 * WIDTH }, () => 5 + 2 * random() - 1)
      const questions = { q: { type: 'noul', instructions: 'Is it?' } as const }
      return { state: { features }, questions, labels: { q: label(features) } }
    })
  }
  const readable = (features: readonly number[]) => features[1]! - features[WIDTH + 2]! > 0

  it('is fitted where the hidden states know what the answers do not', async () => {
    const { calibration, questions } = await calibrate(engine, rowsOf(120, readable))
    const [{ status, head, before, calibrated, withHead, after }] = questions as [(typeof questions)[number]]
    expect([status, head]).toEqual(['fitted', 'fitted'])
    expect(calibrated!.accuracy).toBeLessThan(0.65)
    expect(withHead!.accuracy).toBeGreaterThan(0.85)
    expect(withHead!.logLoss).toBeLessThan(before.logLoss - 0.2)
    expect(after).toEqual(withHead)
    const [{ head: stored }] = calibration.questions as [(typeof calibration.questions)[number]]
    expect(stored?.width).toBe(WIDTH)
    const weights = readHead(stored!, 2)!
    // What yes is told from: the second number of the question and the third of its own row.
    expect(weights[1]).toBeGreaterThan(0)
    expect(weights[WIDTH + 2]).toBeLessThan(0)
  })

  it('is left out where it makes held-out rows no better, and said so', async () => {
    const random = randomNumbers(3)
    const { calibration, questions } = await calibrate(
      engine,
      rowsOf(100, () => random() > 0.5),
    )
    expect(questions[0]!.head).toBe('no better')
    expect(questions[0]!.withHead!.logLoss).toBeGreaterThanOrEqual(questions[0]!.after.logLoss)
    expect(calibration.questions.filter(({ head }) => head !== undefined)).toEqual([])
  })

  it('needs a hundred rows, and a model that has hidden states', async () => {
    const few = await calibrate(engine, rowsOf(99, readable))
    expect(few.questions[0]).toMatchObject({ head: 'too few' })
    expect(few.questions[0]).not.toHaveProperty('withHead')
    const without: Calibrates = { ...engine, decide: ((body: never) => engine.decide(body)) as Calibrates['decide'] }
    const none = await calibrate(without, rowsOf(120, readable))
    expect(none.questions[0]).toMatchObject({ head: 'none' })
  })

  it.each(['constructor', 'toString', '__proto__'])(
    'is of no question called %s without hidden states',
    async (name) => {
      const decide = async () => ({
        model: 'encoder',
        answers: Object.fromEntries([[name, { type: 'noul', noul: 0.5 }]]),
        usage: { input_tokens: 1 },
      })
      const rows = rowsOf(120, readable).map(({ state, questions, labels }) => ({
        state,
        questions: Object.fromEntries([[name, questions['q']!]]),
        labels: Object.fromEntries([[name, labels['q']!]]),
      }))
      const { questions } = await calibrate({ ...engine, decide: decide as never }, rows)
      expect(questions[0]).toMatchObject({ name, rows: 120, head: 'none' })
    },
  )

  it('stops between two fits', async () => {
    const controller = new AbortController()
    const fitting = calibrate(engine, rowsOf(120, readable), {
      signal: controller.signal,
      onProgress: ({ done, total }) => {
        if (done === total) setTimeout(() => controller.abort(), 1)
      },
    })
    await expect(fitting).rejects.toThrow(expect.objectContaining({ code: 'aborted' }))
  })
})
