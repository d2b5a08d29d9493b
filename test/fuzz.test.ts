import { rm } from 'node:fs/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '../src/engine/index.ts'
import { ERROR_TABLE, TesseraError } from '../src/errors/index.ts'
import { type DecisionRequestInput, LIMITS, parseDecisionRequest } from '../src/schemas/index.ts'
import { checkDecisionResponse } from './helpers/check-decision-response.ts'
import { startModelEngine } from './helpers/model-engine.ts'
import { asJson, mutatedRequest, validRequest } from './helpers/request-arbitraries.ts'
import { TINY_MANIFEST, writeTinyBundle } from './helpers/tiny-bundle.ts'

let folder: string
let engine: Engine
beforeAll(async () => {
  // Room for every question drawn: one in a thousand has more than the usual 2,048 tokens.
  folder = await writeTinyBundle({ config: { max_position_embeddings: 8192 } })
  engine = await startModelEngine(folder, { worker: false })
})
afterAll(async () => {
  await engine.dispose()
  await rm(folder, { recursive: true })
})

async function checkDecision(request: DecisionRequestInput): Promise<void> {
  const response = await engine.decide(request)
  checkDecisionResponse(parseDecisionRequest(request), response)
  expect(response.usage.input_tokens).toBe((await engine.countTokens(request)).input_tokens)
}

const YES_NO = { q: { type: 'noul', instructions: 'Is it?' } } as const
/** What fails is named before the test's deadline, however long making it smaller takes. */
const RUNS = { interruptAfterTimeLimit: 240_000 }
const many = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`)

describe('any request', () => {
  it('that is valid gets exactly the answers it asked for', async () => {
    await fc.assert(fc.asyncProperty(validRequest, checkDecision), { ...RUNS, numRuns: 60 })
  })

  it('that was mutated gets its answers or an error of a known code', async () => {
    await fc.assert(
      fc.asyncProperty(mutatedRequest, async (request) => {
        const outcome = await checkDecision(request).catch((error: unknown) => {
          if (TesseraError.isInstance(error)) return error.code
          throw error
        })
        if (outcome !== undefined) expect(Object.keys(ERROR_TABLE)).toContain(outcome)
        // A request that is at fault is never the library's fault.
        expect(outcome).not.toBe('internal_error')
      }),
      { ...RUNS, numRuns: 200 },
    )
  })
})

describe('names that are members of every object', () => {
  const names = ['z', '__proto__', 'constructor', 'toString', '😀', '7', 'a']

  it('are questions like any other, in the order asked', async () => {
    const questions = asJson(names.map((name) => [name, YES_NO.q])) as DecisionRequestInput['questions']
    await checkDecision({ state: '', questions })
    const { answers } = await engine.decide({ state: '', questions })
    const written = JSON.parse(JSON.stringify(answers), (_, value: unknown) => value) as object
    expect(Object.getOwnPropertyNames(written).toSorted()).toEqual(names.toSorted())
  })

  it('are options like any other, and one of them can be chosen', async () => {
    const criteria = asJson([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]) as Record<string, string>
    await checkDecision({ state: '', questions: { q: { type: 'choice', criteria } } })
  })

  it.each([
    ['a question', { state: '', questions: { 'half \ud83d': YES_NO.q } }],
    ['an option', { state: '', questions: { q: { type: 'choice', criteria: { a: null, '\ude00': null } } } }],
    ['a member of the state', { state: { '\ud83d': 1 }, questions: YES_NO }],
    ['the state', { state: 'half \ud83d', questions: YES_NO }],
  ] as [string, DecisionRequestInput][])('are refused where they hold half a character: %s', async (_, request) => {
    await expect(engine.decide(request)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('lone surrogate'),
    })
  })
})

describe('the limits', () => {
  let smallFolder: string
  let small: Engine
  beforeAll(async () => {
    // One layer and small windows: the longest states have 800,000 tokens.
    smallFolder = await writeTinyBundle({
      manifest: { ...TINY_MANIFEST, window: { tokens: 400, overlap: 8, sharpness: 4 } },
      config: { num_hidden_layers: 1 },
    })
    small = await startModelEngine(smallFolder, { worker: false })
  })
  afterAll(async () => {
    await small.dispose()
    await rm(smallFolder, { recursive: true })
  })

  const { questions, options, levels } = LIMITS
  const asking = (count: number) => ({ state: 'x', questions: asJson(many(count).map((name) => [name, YES_NO.q])) })
  const choosing = (count: number) => ({ type: 'choice', criteria: asJson(many(count).map((name) => [name, null])) })
  const rating = (count: number) => ({ type: 'score', criteria: many(count) })
  const one = (question: object) => ({ state: 'x', questions: { q: question } })

  it.each([
    [
      'questions',
      [asking(questions.min), asking(questions.max)],
      [asking(questions.min - 1), asking(questions.max + 1)],
    ],
    [
      'options',
      [one(choosing(options.min)), one(choosing(options.max))],
      [one(choosing(options.min - 1)), one(choosing(options.max + 1))],
    ],
    [
      'levels',
      [one(rating(levels.min)), one(rating(levels.max))],
      [one(rating(levels.min - 1)), one(rating(levels.max + 1))],
    ],
  ])('of %s are served and one beyond is refused', async (_, inside, outside) => {
    for (const request of inside) await checkDecision(request as DecisionRequestInput)
    for (const request of outside) {
      await expect(engine.decide(request as DecisionRequestInput)).rejects.toMatchObject({ code: 'invalid_request' })
    }
  })

  it.each([
    ['words', 'late '.repeat(40_000)],
    ['one word without a space', 'x'.repeat(200_000)],
    ['emoji only', '😀'.repeat(200_000)],
    ['lines of nothing', '\n'.repeat(200_000)],
  ])(
    'of the state count code points: 200,000 are read to the end, one more is refused before any work (%s)',
    async (_, state) => {
      const steps: { done: number; total: number }[] = []
      const response = await small.decide({ state, questions: YES_NO }, { onProgress: (step) => steps.push(step) })
      checkDecisionResponse(parseDecisionRequest({ state, questions: YES_NO }), response)
      expect(steps.at(-1)).toMatchObject({ done: steps.length - 1, total: steps.length - 1 })
      const more: unknown[] = []
      const call = small.decide({ state: `${state}x`, questions: YES_NO }, { onProgress: (step) => more.push(step) })
      await expect(call).rejects.toMatchObject({
        code: 'invalid_request',
        path: 'state',
        message: expect.stringContaining('got 200,001'),
      })
      expect(more).toEqual([])
    },
  )
})
