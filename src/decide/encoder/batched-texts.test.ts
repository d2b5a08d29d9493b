import { describe, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { furthest } from '../../../test/helpers/furthest.ts'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { ATTENTION_FORMS, withAttention } from '../../../test/helpers/with-attention.ts'
import { withTexts } from '../../../test/helpers/with-texts.ts'
import { type Backend } from '../../backends/index.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { parseDecisionRequest } from '../../schemas/index.ts'
import { type Decider, openDecider } from '../index.ts'

const QUESTIONS = {
  bug: { type: 'noul', instructions: 'Is it a bug?' },
  team: {
    type: 'choice',
    instructions: 'Which team is it for?',
    criteria: { app: 'crashes', sales: null, other: 'a' },
  },
  sides: {
    type: 'noul',
    instructions: 'It is {}.',
    criteria: { true: 'a question', false: 'a long complaint of many words' },
  },
  mood: { type: 'score', instructions: 'How cross?', criteria: ['calm', 'somewhat annoyed by it', 'furious'] },
} as const
const MODELS = ['laya', 'julia', 'opendecider-nano', 'nli-bert', 'nli-modernbert']

const backend = await cpuBackend()

/** Opens a model, and notes the tokens of each of its passes. */
async function open(
  name: string,
  attention: Backend['attention'] = 'fused',
  change: (json: string) => string = String,
) {
  const passes: number[] = []
  const counting: Backend = {
    ...withAttention(backend, attention),
    async createSession(graph) {
      const session = await backend.createSession(graph)
      const run = session.run.bind(session)
      const counted: typeof run = (feeds, outputs) => {
        passes.push(feeds['input_ids']!.dims[1]!)
        return run(feeds, outputs)
      }
      return Object.assign(session, { run: counted })
    },
  }
  const files = withTexts(openFolder(fixtureFolder(name)), { 'config.json': change })
  return { decider: await openDecider({ backend: counting, files }), passes }
}

function ask(state: string, names: readonly (keyof typeof QUESTIONS)[]) {
  return parseDecisionRequest({ state, questions: Object.fromEntries(names.map((name) => [name, QUESTIONS[name]])) })
}

const NAMES = Object.keys(QUESTIONS) as (keyof typeof QUESTIONS)[]
const context = { turn: async () => {} }

/** The largest difference between questions asked together and each by itself, of choices and of scores each option too. */
async function compare(decider: Decider, state: string) {
  const together = await decider.logits(ask(state, NAMES), context)
  const apart: number[] = []
  for (const [index, name] of NAMES.entries()) {
    const [alone] = await decider.logits(ask(state, [name]), context)
    expect(together[index]!.length).toBe(alone!.length)
    for (const [window, logits] of alone!.entries()) apart.push(furthest(together[index]![window], logits))
  }
  return Math.max(...apart)
}

describe.each(ATTENTION_FORMS)('texts that are read in one pass, with %s attention,', (attention) => {
  it.each(MODELS)('give what each gives by itself: %s', async (name) => {
    const { decider, passes } = await open(name, attention)
    const request = ask('a card did not arrive', NAMES)
    await decider.logits(request, context)
    const texts = name.startsWith('nli') ? 9 : 4
    expect(passes.length).toBeLessThan(texts)
    expect(await compare(decider, 'a card did not arrive')).toBeLessThan(1e-5)
    // Longer than a pass and than a window, so that short texts stand beside the last one.
    expect(await compare(decider, 'the app crashes when i press save. '.repeat(40))).toBeLessThan(1e-5)
    await decider.dispose()
  })
})

it.each(['nli-bert', 'nli-modernbert'])('hypotheses of one choice give what each gives by itself: %s', async (name) => {
  const { decider, passes } = await open(name)
  const [[together] = []] = await decider.logits(ask('a card did not arrive', ['team']), context)
  expect(passes).toHaveLength(1)
  for (const [option, meaning] of ['crashes', 'sales', 'a'].entries()) {
    const noul = { type: 'noul', instructions: QUESTIONS.team.instructions, criteria: { true: meaning } }
    const request = parseDecisionRequest({ state: 'a card did not arrive', questions: { noul } })
    const [[alone] = []] = await decider.logits(request, context)
    expect(Math.abs(alone![0]! - together![option]!)).toBeLessThan(1e-5)
  }
  await decider.dispose()
})

it('a classifier that takes the mean of a text takes that of each', async () => {
  const change = (json: string) => json.replace('"classifier_pooling": "cls"', '"classifier_pooling": "mean"')
  const { decider } = await open('nli-modernbert', 'fused', change)
  const { decider: first } = await open('nli-modernbert')
  const request = ask('a card', NAMES)
  const [[mean], [cls]] = [(await decider.logits(request, context))[0]!, (await first.logits(request, context))[0]!]
  expect(Math.abs(mean![0]! - cls![0]!)).toBeGreaterThan(1e-3)
  expect(await compare(decider, 'a card did not arrive')).toBeLessThan(1e-5)
  await Promise.all([decider.dispose(), first.dispose()])
})

it('a pass has at most 256 tokens where it has several texts, and the way is free between passes', async () => {
  const { decider, passes } = await open('nli-bert')
  const criteria = Object.fromEntries(
    Array.from({ length: 26 }, (_, i) => [`option ${i}`, 'many words '.repeat(1 + (i % 5))]),
  )
  const questions = { q: { type: 'choice', instructions: 'This is {}.', criteria } }
  const request = parseDecisionRequest({ state: 'a card did not arrive', questions })
  let turns = 0
  const progress: string[] = []
  await decider.logits(request, {
    turn: async () => void turns++,
    onProgress: ({ done, total }) => progress.push(`${done}/${total}`),
  })
  expect(passes.length).toBeGreaterThan(2)
  expect(passes.length).toBeLessThan(13)
  expect(Math.max(...passes)).toBeLessThanOrEqual(256)
  expect(turns).toBe(passes.length)
  expect(progress.at(-1)).toBe(`${passes.length}/${passes.length}`)
  const before = passes.length
  const stopped = decider.logits(request, {
    turn: async () => {
      if (passes.length > before) throw new Error('stopped')
    },
  })
  await expect(stopped).rejects.toThrow('stopped')
  expect(passes.length).toBe(before + 1)
  await decider.dispose()
})
