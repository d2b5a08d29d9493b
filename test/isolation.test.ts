import { rm } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '../src/engine/index.ts'
import { runFake, startFakeEngine } from '../src/engine/test-support/engines.ts'
import { type DecisionRequestInput, type DecisionResponse, parseDecisionRequest } from '../src/schemas/index.ts'
import { checkDecisionResponse } from './helpers/check-decision-response.ts'
import { startModelEngine } from './helpers/model-engine.ts'
import { writeTinyBundle } from './helpers/tiny-bundle.ts'

/** Eight requests of different lengths, types and numbers of questions; the longest takes many turns. */
const REQUESTS: DecisionRequestInput[] = Array.from({ length: 8 }, (_, index) => ({
  state: { id: index, text: `Order ${index} is late. `.repeat(1 + (index % 4) * 60) },
  questions: Object.fromEntries(
    Array.from({ length: 1 + (index % 3) }, (_, at) => [
      `question ${at}`,
      [
        { type: 'noul' as const, instructions: `Is order ${index} late?` },
        { type: 'choice' as const, criteria: { billing: 'Money', tech: 'Bugs', [`other ${index}`]: null } },
        { type: 'score' as const, instructions: 'How angry?', criteria: ['calm', 'cross', 'furious'] },
      ][(index + at) % 3]!,
    ]),
  ),
}))
const SLOW: DecisionRequestInput = {
  state: 'x'.repeat(60_000),
  questions: { q: { type: 'noul', instructions: 'Slow?' } },
}
const settle = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: unknown) => error,
  )

/** All numbers and names of the answers, in order. */
function leaves(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, member]) => [key, ...leaves(member)])
    : [value]
}

function expectSameAnswers(actual: DecisionResponse, expected: DecisionResponse): void {
  const wanted = leaves(expected.answers)
  const got = leaves(actual.answers)
  expect(got.map((leaf) => (typeof leaf === 'number' ? 0 : leaf))).toEqual(
    wanted.map((leaf) => (typeof leaf === 'number' ? 0 : leaf)),
  )
  const gaps = got.map((leaf, index) => (typeof leaf === 'number' ? Math.abs(leaf - (wanted[index] as number)) : 0))
  expect(Math.max(...gaps)).toBeLessThan(1e-6)
}

describe('requests at the same time', () => {
  let folder: string
  let engine: Engine
  let alone: DecisionResponse[]
  beforeAll(async () => {
    folder = await writeTinyBundle()
    engine = await startModelEngine(folder, { maxConcurrent: 4 })
    alone = []
    for (const request of REQUESTS) alone.push(await engine.decide(request))
  })
  afterAll(async () => {
    await engine.dispose()
    await rm(folder, { recursive: true })
  })

  const expectUndisturbed = async (calls: Promise<DecisionResponse>[]) => {
    for (const [index, response] of (await Promise.all(calls)).entries()) {
      expectSameAnswers(response, alone[index]!)
      checkDecisionResponse(parseDecisionRequest(REQUESTS[index]), response)
    }
  }

  it('give different answers, so that a mix-up would show', () => {
    expect(new Set(alone.map(({ answers }) => JSON.stringify(answers))).size).toBe(REQUESTS.length)
  })

  it('get the answers they get alone', async () => {
    await expectUndisturbed(REQUESTS.map((request) => engine.decide(request)))
  })

  it('are not disturbed by one that was aborted before it was made', async () => {
    const aborted = engine.decide(SLOW, { signal: AbortSignal.abort('too late') })
    const others = REQUESTS.map((request) => engine.decide(request))
    await expect(aborted).rejects.toMatchObject({ code: 'aborted', cause: 'too late' })
    await expectUndisturbed(others)
  })

  it('are not disturbed by one that is aborted while it waits', async () => {
    const controller = new AbortController()
    let started = false
    const others = REQUESTS.map((request) => engine.decide(request))
    const aborted = engine.decide(SLOW, { signal: controller.signal, onProgress: () => (started = true) })
    controller.abort()
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
    await expectUndisturbed(others)
    expect(started).toBe(false)
  })

  it('are not disturbed by one that is aborted while it runs', async () => {
    const controller = new AbortController()
    let last = { done: 0, total: 0 }
    const aborted = engine.decide(SLOW, {
      signal: controller.signal,
      onProgress: (progress) => {
        last = progress
        if (progress.done === 2) controller.abort()
      },
    })
    const others = REQUESTS.map((request) => engine.decide(request))
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
    await expectUndisturbed(others)
    expect(last.done).toBeLessThan(last.total)
  })

  it('are not disturbed by bad ones', async () => {
    const bad = [
      { state: 5, questions: {} },
      { state: '', questions: { q: { type: 'noul' } } },
      { ...SLOW, model: 'nobody/no-such-model' },
      // Only the model's own limit refuses this one, in the worker.
      { state: '', questions: { q: { type: 'noul', instructions: 'why '.repeat(20_000) } } },
    ].map((request) => settle(engine.decide(request as never)))
    const others = REQUESTS.map((request) => engine.decide(request))
    const errors = await Promise.all(bad)
    expect(errors.map((error) => (error as { code?: string }).code)).toEqual([
      'invalid_request',
      'invalid_request',
      'model_not_found',
      'invalid_request',
    ])
    await expectUndisturbed(others)
  })

  it('leave nothing of a state in the errors of those that fail', async () => {
    const canary = 'CANARY-7f3a'
    const state = { text: `${canary} `.repeat(5000) }
    const { questions } = SLOW
    const controller = new AbortController()
    const calls = [
      { state: { ...state, half: `${canary}\ud800` }, questions },
      { state: canary.repeat(30_000), questions },
      { state, questions: { q: { type: 'noul', instructions: `${canary} `.repeat(3000) } } },
      { state, questions: { q: { type: canary } } },
      { state, questions, model: 'nobody/no-such-model' },
      { state, questions, min_confidence: canary },
      { state: new Map([[canary, canary]]), questions },
    ].map((request) => settle(engine.decide(request as never)))
    const aborting = { signal: controller.signal, onProgress: () => controller.abort() }
    for (const error of (await Promise.all([
      ...calls,
      settle(engine.decide({ state, questions }, aborting)),
    ])) as Error[]) {
      expect(error).toHaveProperty('code')
      expect([error.message, error.stack, JSON.stringify(error)].join('\n')).not.toContain(canary)
    }
  })
})

describe('an engine of few places', () => {
  let engine: Engine
  afterEach(() => engine.dispose())

  it('refuses what is over its queue at once, finishes what it has accepted, and then takes more', async () => {
    engine = await startFakeEngine({ worker: true, maxConcurrent: 2, maxQueue: 1 })
    const done: string[] = []
    const holding = runFake(engine, { hold: true }).then(() => done.push('holding'))
    const releasing = runFake(engine, { release: true, steps: 1 }).then(() => done.push('releasing'))
    const waiting = runFake(engine, { name: 'waiting', steps: 1 }).then(() => done.push('waiting'))
    await expect(runFake(engine, {})).rejects.toMatchObject({ code: 'overloaded', retryable: true, status: 529 })
    expect(done).toEqual([])
    await Promise.all([holding, releasing, waiting])
    await expect(runFake(engine, { name: 'late', steps: 1 })).resolves.toContain('waiting1 late1')
  })

  it('answers again after its worker has crashed', async () => {
    engine = await startFakeEngine({ worker: true, maxConcurrent: 1 })
    const crashed = settle(runFake(engine, { fail: 'exit' }))
    const waiting = runFake(engine, { name: 'a', steps: 1 })
    expect(await crashed).toMatchObject({ code: 'worker_crashed' })
    expect(await waiting).toBe('a1')
    expect(await runFake(engine, { name: 'b', steps: 1 })).toBe('a1 b1')
  })

  it('can be disposed twice, at once and later, and refuses what comes after', async () => {
    engine = await startFakeEngine({ worker: true })
    await Promise.all([engine.dispose(), engine.dispose()])
    await engine.dispose()
    await expect(runFake(engine, {})).rejects.toMatchObject({ code: 'engine_disposed' })
  })
})
