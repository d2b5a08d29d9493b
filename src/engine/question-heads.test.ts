import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OwnCalibration } from '../decide/own-calibration.ts'
import { headLogits, writeHead } from '../decide/question-head.ts'
import type { Question } from '../schemas/index.ts'
import { withFeatures } from './calls/call-features.ts'
import { createEngine } from './create-engine.ts'
import type { Engine } from './engine.ts'
import { headWeights, makeHeadedCalibration, TEAM, URGENT, WIDTH } from './test-support/headed-calibration.ts'

const state = 'The shop is down and customers cannot pay. Please call me at once.'

let plain: Engine
let calibration: OwnCalibration
beforeAll(async () => {
  plain = await createEngine({ worker: false })
  calibration = await makeHeadedCalibration(plain)
})
afterAll(() => plain.dispose())

const logit = (p: number) => Math.log(p / (1 - p))

async function readFeatures(engine: Engine, question: Question) {
  let read: Float32Array | undefined
  const listener = { names: ['q'], onFeatures: ({ q }: Readonly<Record<string, Float32Array>>) => void (read = q) }
  await engine.decide({ state, questions: { q: question } }, withFeatures({}, listener))
  return read!
}

describe('a head of a question', () => {
  it.each([false, true, 'process'] as const)('adds to its logits, with worker: %s', async (worker) => {
    await using engine = await createEngine({ worker, calibration })
    const questions = { urgent: URGENT, team: TEAM } as const
    const before = (await plain.decide({ state, questions })).answers
    const response = await engine.decide({ state, questions })
    const after = response.answers
    expect(response).not.toHaveProperty('features')
    const [yes, no] = headLogits(await readFeatures(plain, URGENT), headWeights(2), WIDTH)
    expect(Math.abs(yes! - no!)).toBeGreaterThan(0.01)
    expect(logit(after.urgent.noul)).toBeCloseTo(logit(before.urgent.noul) + 0.5 + yes! - no!, 4)
    const [billing, tech] = headLogits(await readFeatures(plain, TEAM), headWeights(3), WIDTH)
    const ratio = ({ probabilities: p }: typeof after.team) => Math.log(p.billing / p.tech)
    expect(ratio(after.team)).toBeCloseTo(ratio(before.team) / 2 + billing! - tech!, 4)
  })

  it('gives the same answer whatever else is asked', async () => {
    await using engine = await createEngine({ worker: false, calibration })
    const alone = (await engine.decide({ state, questions: { team: TEAM } })).answers.team
    const many = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [
        `other ${index}`,
        { ...URGENT, instructions: `Is it about ${index}?` },
      ]),
    )
    const { answers } = await engine.decide({ state, questions: { ...many, urgent: URGENT, team: TEAM } })
    const among = answers['team'] as typeof alone
    for (const [name, p] of Object.entries(among.probabilities)) {
      expect(p).toBeCloseTo(alone.probabilities[name as keyof typeof alone.probabilities], 5)
    }
  })

  it('is of its question in whatever order its options come', async () => {
    await using engine = await createEngine({ worker: false, calibration })
    const { billing, tech, sales } = TEAM.criteria
    const other = { ...TEAM, criteria: { sales, tech, billing } }
    const { a, b } = (await engine.decide({ state, questions: { a: TEAM, b: other } })).answers
    for (const name of ['billing', 'tech', 'sales'] as const)
      expect(b.probabilities[name]).toBeCloseTo(a.probabilities[name], 4)
    expect(Object.keys(b.probabilities)).toEqual(['sales', 'tech', 'billing'])
    const [shipped] = Object.values((await plain.decide({ state, questions: { b: other } })).answers)
    expect(Math.abs(shipped!.probabilities.tech - b.probabilities.tech)).toBeGreaterThan(0.01)
  })

  it('is of its question with these very options: others are answered as shipped', async () => {
    await using engine = await createEngine({ worker: false, calibration })
    const { billing, tech } = TEAM.criteria
    const questions = {
      fewer: { ...TEAM, criteria: { billing, tech } },
      renamed: { ...TEAM, criteria: { ...TEAM.criteria, sales: 'offers' } },
    }
    expect((await engine.decide({ state, questions })).answers).toEqual(
      (await plain.decide({ state, questions })).answers,
    )
  })
})

describe('a head is refused', () => {
  const changed = (
    change: Partial<OwnCalibration['questions'][number]>,
    model = calibration.model,
  ): OwnCalibration => ({
    ...calibration,
    model,
    questions: [{ ...calibration.questions[0]!, ...change }],
  })

  it('where its weights are not those of its options', async () => {
    const short = changed({ head: writeHead(headWeights(3), WIDTH) })
    await expect(createEngine({ worker: false, calibration: short })).rejects.toThrow(
      /^calibration\.questions\.0\.head\.weights: must be 2 × 768 finite numbers as base64 of float32/,
    )
    const broken = changed({ head: writeHead(headWeights(2).fill(NaN), WIDTH) })
    await expect(createEngine({ worker: false, calibration: broken })).rejects.toThrow('finite numbers')
  })

  it('on a model of another width', async () => {
    await using engine = await createEngine({
      worker: false,
      calibration: changed({ head: writeHead(headWeights(2).subarray(0, 2 * 2 * 192), 192) }),
    })
    await expect(engine.decide({ state, questions: { q: URGENT } })).rejects.toThrow(
      'calibration: has a head on hidden states of 192 numbers, those of the model have 384. Calibrate anew',
    )
  })

  it('for models that have no hidden states to give', async () => {
    const other = changed({}, { ...calibration.model, template: 'chat-1' })
    await expect(createEngine({ worker: false, calibration: other })).rejects.toThrow(
      /^calibration: has a head, which only models of template tree-1 can have, and was made for decide-mini/,
    )
  })
})
