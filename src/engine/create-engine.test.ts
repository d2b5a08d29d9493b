import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { writeTinyBundle } from '../../test/helpers/tiny-bundle.ts'
import { createEngine } from './create-engine.ts'
import { countTokens, decide, disposeDefaultEngine } from './default-engine.ts'
import type { Engine } from './engine.ts'

const questions = {
  urgent: { type: 'noul', instructions: 'Is it urgent?' },
  team: { type: 'choice', criteria: { billing: 'Money', tech: 'Bugs' } },
} as const

let folder: string
beforeAll(async () => {
  folder = await writeTinyBundle()
})
afterAll(() => rm(folder, { recursive: true }))

describe('an engine with a real model', () => {
  let engine: Engine
  let inline: Engine
  beforeEach(async () => {
    const options = { backend: 'cpu', threads: 1, models: { 'decide-latest': folder } } as const
    engine = await createEngine(options)
    inline = await createEngine({ ...options, worker: false })
  })
  afterEach(() => Promise.all([engine.dispose(), inline.dispose()]))

  it('gives the same answers in a worker as inline', async () => {
    const request = { state: { text: 'The invoice is wrong' }, questions }
    const { answers } = await engine.decide(request)
    expect(answers).toEqual((await inline.decide(request)).answers)
    expect(['billing', 'tech']).toContain(answers.team.choice)
    expect(await engine.countTokens(request)).toEqual(await inline.countTokens(request))
  })

  it('gives the same answers to calls that take turns as to one alone', async () => {
    const requests = ['a', 'bb', 'ccc'].map((text) => ({ state: text.repeat(600), questions }))
    const together = await Promise.all(requests.map((request) => engine.decide(request)))
    for (const [index, request] of requests.entries()) {
      expect(together[index]?.answers).toEqual((await inline.decide(request)).answers)
    }
  })

  it('takes as many options as it is told to, where the model has symbols for them', async () => {
    const named = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`option ${index}`, null]))
    const ask = (count: number) =>
      ({ state: 'short', questions: { q: { type: 'choice', criteria: named(count) } } }) as const
    await expect(inline.decide(ask(27))).rejects.toMatchObject({
      path: 'questions.q.criteria',
      reason: 'a choice needs 2 to 26 options, got 27; maxOptions (--max-options) allows more',
    })
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
    const merges = ['A', 'B'].flatMap((first) => letters.map((second) => `${first} ${second}`))
    const paired = await writeTinyBundle({ merges })
    await using wide = await createEngine({
      backend: 'cpu',
      threads: 1,
      worker: false,
      maxOptions: 40,
      models: { 'decide-latest': paired },
    })
    expect([inline.maxOptions, wide.maxOptions]).toEqual([26, 40])
    const { answers } = await wide.decide(ask(40))
    const probabilities = Object.values(answers.q.probabilities)
    expect(probabilities).toHaveLength(40)
    expect(probabilities.reduce((sum, value) => sum + value)).toBeCloseTo(1, 6)
    await using plain = await createEngine({
      backend: 'cpu',
      threads: 1,
      worker: false,
      maxOptions: 40,
      models: { 'decide-latest': folder },
    })
    await expect(plain.decide(ask(26))).resolves.toHaveProperty('answers.q.choice')
    await expect(plain.decide(ask(27))).rejects.toMatchObject({
      path: 'questions.q.criteria',
      reason: 'has 27 options, and this model tells at most 26 apart',
    })
    await rm(paired, { recursive: true })
    await expect(createEngine({ maxOptions: 1 })).rejects.toMatchObject({ path: 'maxOptions' })
  })

  it('stops a real job when it is aborted, and goes on with others', async () => {
    const controller = new AbortController()
    const state = 'x'.repeat(100_000)
    const { signal } = controller
    const job = engine.decide({ state, questions }, { signal, onProgress: () => controller.abort('enough') })
    await expect(job).rejects.toMatchObject({ code: 'aborted', cause: 'enough' })
    await expect(engine.decide({ state: 'short', questions })).resolves.toMatchObject({ model: 'tiny' })
  })

  it('can be disposed in the middle of a job', async () => {
    const state = 'x'.repeat(100_000)
    let job: Promise<unknown> | undefined
    await new Promise<void>((resolve) => {
      job = engine.decide({ state, questions }, { onProgress: () => resolve() }).catch((error: unknown) => error)
    })
    await engine.dispose()
    expect(await job).toMatchObject({ code: 'engine_disposed' })
  })

  it('serves names of compatible services by the default model, never taking them as paths', async () => {
    for (const model of ['jev-latest', 'decide-latest', folder, '../..', '__proto__']) {
      expect(await engine.decide({ model, state: '', questions })).toMatchObject({ model: 'tiny' })
    }
  })

  it('names a downloaded model that has no manifest by its hub id', async () => {
    const cache = temporaryFolder()
    const snapshot = join(cache, 'models--acme--tiny', 'snapshots', 'c'.repeat(40))
    await cp(folder, snapshot, { recursive: true })
    await rm(join(snapshot, 'tessera.json'))
    await mkdir(join(cache, 'models--acme--tiny', 'refs'))
    await writeFile(join(cache, 'models--acme--tiny', 'refs', 'main'), 'c'.repeat(40))
    vi.stubEnv('HF_HUB_CACHE', cache)
    try {
      await using other = await createEngine({ models: { 'decide-latest': 'acme/tiny' }, worker: false, threads: 1 })
      for (const model of [undefined, 'acme/tiny']) {
        expect(await other.decide({ ...(model && { model }), state: '', questions })).toMatchObject({
          model: 'acme/tiny',
        })
      }
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('does not answer for a hub model that is not downloaded', async () => {
    const call = engine.decide({ model: 'nobody/no-such-model', state: '', questions })
    await expect(call).rejects.toMatchObject({ code: 'model_not_found', model: 'nobody/no-such-model' })
  })
})

it('refuses what is at fault or given up before an engine is started for it', async () => {
  await expect(decide({ state: 'x', questions: {} as typeof questions })).rejects.toMatchObject({ path: 'questions' })
  await expect(decide({ state: 'x', questions }, { signal: AbortSignal.abort('no') })).rejects.toMatchObject({
    code: 'aborted',
    cause: 'no',
  })
})

it('serves the top-level functions from one engine', async () => {
  const [response, count] = await Promise.all([
    decide({ state: 'x', questions }),
    countTokens({ state: 'x', questions }),
  ])
  expect(response).toMatchObject({ model: 'decide-mini', usage: { input_tokens: count.input_tokens } })
  await disposeDefaultEngine()
})

it('opens the embedded model of decisions in several workers where they come together, and that of pictures in one', async () => {
  await using engine = await createEngine({ backend: 'cpu', workers: 'auto', threads: 2, memoryBudget: 4e9 })
  const requests = ['It is late again!', 'Thank you for all.', 'My parcel is broken.', 'How do I log in?'].map(
    (state) => ({ state, questions }),
  )
  const together = await Promise.all(requests.map((request) => engine.decide(request)))
  for (const [index, { answers }] of together.entries()) {
    expect((await engine.decide(requests[index]!)).answers).toEqual(answers)
  }
  await Promise.all(
    ['a red apple', 'a house'].map((prompt) => engine.generateImage({ prompt, size: '64x64' }, { steps: 1 })),
  )
  const open = engine.activity().models.map(({ id, open }) => [id, open])
  expect(Object.fromEntries(open)).toEqual({ 'decide-mini': 3, 'image-mini': 1 })
})
