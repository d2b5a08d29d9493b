import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { TINY_MANIFEST, writeTinyBundle } from '../../test/helpers/tiny-bundle.ts'
import type { OwnCalibration } from '../decide/own-calibration.ts'
import type { ChoiceAnswer, NoulAnswer } from '../schemas/index.ts'
import { withFeatures } from './calls/call-features.ts'
import { createEngine } from './create-engine.ts'
import type { Engine } from './engine.ts'
import { OwnCalibrator } from './own-calibration.ts'

const URGENT = { type: 'noul', instructions: 'Does this need an answer today?' } as const
const TEAM = { type: 'choice', instructions: 'Which team?', criteria: { '10': 'payments', '2': 'bugs' } } as const
const state = 'The shop is down and customers cannot pay. Please call me at once.'

let plain: Engine
let calibration: OwnCalibration
beforeAll(async () => {
  plain = await createEngine({ worker: false })
  const { identity } = (await plain.models()).find(({ name }) => name === 'decide-latest')!
  calibration = {
    format: 'tessera-calibration-1',
    model: identity!,
    questions: [
      { question: URGENT, rows: 40, temperature: 2, bias: [1, 0] },
      { question: TEAM, rows: 40, temperature: 1, bias: [0, 3] },
    ],
  }
})
afterAll(() => plain.dispose())

const logit = (p: number) => Math.log(p / (1 - p))

it('corrects the questions that it knows, by their wording and not by their name', async () => {
  await using engine = await createEngine({ worker: false, calibration })
  const other = { ...URGENT, instructions: 'Is it urgent?' }
  const request = { state, questions: { a: URGENT, b: TEAM, c: other }, min_confidence: 0.5 }
  const before = (await plain.decide(request)).answers
  const after = (await engine.decide(request)).answers
  expect(logit(after.a.noul)).toBeCloseTo(logit(before.a.noul) / 2 + 1, 5)
  const difference = ({ probabilities }: ChoiceAnswer<'10' | '2'>) => Math.log(probabilities['10'] / probabilities['2'])
  // The options of a request stand in the order of JavaScript's objects: whole numbers first, from the least.
  expect(difference(after.b)).toBeCloseTo(difference(before.b) + 3, 5)
  expect(after.c).toEqual(before.c)
  const { noul, confidence, decided } = after.a as NoulAnswer
  expect(confidence).toBeCloseTo(Math.abs(2 * noul - 1), 9)
  expect(decided).toBe(confidence! >= 0.5)
  // Another calibration is fitted to what it will correct.
  const calibrating = withFeatures({}, { names: [], isCalibrating: true, onFeatures: () => {} })
  expect((await engine.decide(request, calibrating)).answers).toEqual(before)
})

it('keeps to the options that a call was made with', async () => {
  await using engine = await createEngine({ worker: false, calibration })
  const options: { signal?: AbortSignal } = {}
  const answered = engine.decide({ state, questions: { a: URGENT } }, options)
  options.signal = AbortSignal.abort()
  await expect(answered).resolves.toHaveProperty('answers.a')
})

it.each([
  ['calibration.json', /^calibration: must be the calibration that calibrate made, an object/],
  [{}, /^calibration\.format: must be "tessera-calibration-1"/],
])('is refused where it is none, such as %j, by what it has to be', async (given, message) => {
  await expect(createEngine({ worker: false, calibration: given as never })).rejects.toThrow(message)
})

it('is refused for another model, and says for which it is', async () => {
  const other = { ...calibration, model: { ...calibration.model, version: '0.0.1' } }
  await expect(createEngine({ worker: false, calibration: other })).rejects.toThrow(
    /^calibration: was made for decide-mini 0\.0\.1 \(weights .*\); this engine serves decide-mini \d/,
  )
})

it('knows a question in whatever order its options and sides come, where the model gives the same answer', () => {
  const sides = { true: 'it is urgent', false: 'it can wait' }
  const { true: yes, false: no } = sides
  const own = (template: string) =>
    new OwnCalibrator({
      ...calibration,
      model: { ...calibration.model, template },
      questions: [
        { question: { ...URGENT, criteria: sides }, rows: 40, temperature: 1, bias: [3, 0] },
        { question: { ...TEAM, criteria: { a: 'x', b: 'y' } }, rows: 40, temperature: 1, bias: [2, 0] },
      ],
    })
  const questions = {
    urgent: { ...URGENT, criteria: { false: no, true: yes } },
    team: { ...TEAM, criteria: { b: 'y', a: 'x' } },
  }
  const answers = {
    urgent: { type: 'noul', noul: 0.5 },
    team: { type: 'choice', choice: 'b', probabilities: { b: 0.5, a: 0.5 }, confidence: 0 },
  } as const
  const response = { model: 'decide-mini', answers, usage: { input_tokens: 1, output_tokens: 0 }, latency_ms: 0 }
  const { urgent, team } = own('tree-1').apply({ state, questions }, response).answers
  expect((urgent as NoulAnswer).noul).toBeCloseTo(1 / (1 + Math.exp(-3)), 9)
  expect((team as ChoiceAnswer).probabilities['a']).toBeCloseTo(1 / (1 + Math.exp(-2)), 9)
  expect(own('chat-1').apply({ state, questions }, response).answers['team']).toEqual(answers.team)
})

it.each(['tree-1', 'chat-1'])(
  'knows which option a bias is of when another program has sorted the members (%s)',
  (template) => {
    const asked = { ...TEAM, criteria: { zoo: 'animals', art: 'pictures' } }
    const sorted = { ...TEAM, criteria: { art: 'pictures', zoo: 'animals' } }
    const own = new OwnCalibrator({
      ...calibration,
      model: { ...calibration.model, template },
      questions: [{ question: sorted, options: ['zoo', 'art'], rows: 40, temperature: 1, bias: [2, 0] }],
    })
    const team = { type: 'choice', choice: 'zoo', probabilities: { zoo: 0.5, art: 0.5 }, confidence: 0 } as const
    const response = { model: 'm', answers: { team }, usage: { input_tokens: 1, output_tokens: 0 }, latency_ms: 0 }
    const { answers } = own.apply({ state, questions: { team: asked } }, response)
    expect((answers['team'] as ChoiceAnswer).probabilities['zoo']).toBeCloseTo(1 / (1 + Math.exp(-2)), 9)
  },
)

it('knows a question without options beside which another program has written an empty list of them', () => {
  const urgent = { ...URGENT, criteria: { true: 'it is urgent', false: 'it can wait' } }
  const own = new OwnCalibrator({
    ...calibration,
    questions: [{ question: urgent, options: [], rows: 40, temperature: 1, bias: [3, 0] }],
  })
  const answers = { urgent: { type: 'noul', noul: 0.5 } } as const
  const response = { model: 'm', answers, usage: { input_tokens: 1, output_tokens: 0 }, latency_ms: 0 }
  const { answers: corrected } = own.apply({ state, questions: { urgent } }, response)
  expect((corrected['urgent'] as NoulAnswer).noul).toBeCloseTo(1 / (1 + Math.exp(-3)), 9)
})

it('leaves another version of its model as it is, also under a name of another service', async () => {
  const folder = temporaryFolder()
  await cp(fileURLToPath(new URL('../../models/decide-mini/', import.meta.url)), folder, { recursive: true })
  const manifest = await readFile(join(folder, 'tessera.json'), 'utf8')
  await writeFile(join(folder, 'tessera.json'), JSON.stringify({ ...JSON.parse(manifest), version: '99.0.0' }))
  const models = { 'decide-latest': folder, kept: 'decide-mini' }
  await using engine = await createEngine({ worker: false, calibration, models })
  const yes = async (asked: Engine, model?: string) =>
    (await asked.decide({ state, questions: { a: URGENT }, ...(model && { model }) })).answers.a.noul
  const shipped = await yes(plain)
  expect(await yes(engine)).toBeCloseTo(shipped, 9)
  expect(await yes(engine, 'jev-latest')).toBeCloseTo(shipped, 9)
  expect(logit(await yes(engine, 'kept'))).toBeCloseTo(logit(shipped) / 2 + 1, 5)
})

it('is refused, and not fitted, where two folders have its name and none says its version', async () => {
  const root = temporaryFolder()
  const folders = ['run1', 'run2'].map((name) => join(root, name, 'merged'))
  for (const [index, folder] of folders.entries())
    await cp(await writeTinyBundle({ manifest: {}, seed: index }), folder, { recursive: true })
  const [first, second] = folders as [string, string]
  await using alone = await createEngine({ worker: false, models: { 'decide-latest': first, again: first } })
  const { identity } = (await alone.models()).find(({ name }) => name === 'again')!
  const merged = { ...calibration, model: identity! }
  const models = { 'decide-latest': first, other: second }
  const both = `needs one model that is merged unversioned (weights float, template chat-1 behind what tokenizer.json puts first), got ${first} and ${second}`
  await expect(createEngine({ worker: false, calibration: merged, models })).rejects.toThrow(`calibration: ${both}`)
  const calibrating = withFeatures({}, { names: [], isCalibrating: true, onFeatures: () => {} })
  const request = { state, questions: { a: URGENT } }
  await using engine = await createEngine({ worker: false, models })
  await expect(engine.decide(request, calibrating)).rejects.toThrow(`engine: ${both}`)
  await alone.decide(request, calibrating)
  await writeFile(join(second, 'tessera.json'), JSON.stringify({ ...TINY_MANIFEST, name: 'merged', version: '2' }))
  await using told = await createEngine({ worker: false, calibration: merged, models })
  await told.decide(request, calibrating)
  await told.decide({ ...request, model: 'other' }, calibrating)
})

it('is refused where it is none', async () => {
  const wrong = { ...calibration, questions: [{ question: URGENT, rows: 40, temperature: 0, bias: [] }] }
  await expect(createEngine({ calibration: wrong })).rejects.toThrow('calibration.questions.0.temperature: ')
  const short = { ...calibration, questions: [{ question: TEAM, rows: 40, temperature: 1, bias: [1] }] }
  await expect(createEngine({ calibration: short })).rejects.toThrow(
    'calibration.questions.0.bias: must have a number for each of the 2 options of its question, got 1',
  )
  for (const options of [['10'], ['10', '3'], ['2', '2']]) {
    const other = { ...calibration, questions: [{ question: TEAM, options, rows: 40, temperature: 1, bias: [1, 0] }] }
    await expect(createEngine({ calibration: other })).rejects.toThrow(
      'calibration.questions.0.options: must be the names of the options of its question',
    )
  }
  await expect(createEngine({ calibration: {} as OwnCalibration })).rejects.toThrow('calibration.format: ')
})
