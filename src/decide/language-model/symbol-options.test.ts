import { beforeAll, describe, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { writeTinyBundle } from '../../../test/helpers/tiny-bundle.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { parseDecisionRequest } from '../../schemas/index.ts'
import type { SymbolOptions } from '../decision-family.ts'
import { identifyDecider } from '../identify-decider.ts'
import { openDecider } from '../index.ts'
import { loadTokenizer } from '../tokenizer/tokenizer.ts'
import { readChatSymbols } from './answer-symbols.ts'
import { createChatTemplate } from './chat-template.ts'
import { createVocabularyReadout } from './readout.ts'

const STATE = 'The parcel came broken and nobody answers. '
const TEAM = { type: 'choice', instructions: 'Who?', criteria: { billing: 'Payments', shipping: null, tech: 'Bugs' } }
const ANGER = { type: 'score', instructions: 'How angry?', criteria: ['calm', 'annoyed', 'furious'] }
const URGENT = { type: 'noul', instructions: 'Urgent?', criteria: { true: 'today', false: 'whenever' } }

const backend = await cpuBackend()
let folder: string
beforeAll(async () => {
  folder = await writeTinyBundle({ manifest: {} })
})

async function open(symbols: SymbolOptions, of = folder) {
  const decider = await openDecider({ backend, files: openFolder(of), symbols })
  const request = (questions: object, state = STATE) => parseDecisionRequest({ state, questions })
  return {
    decide: (questions: object, state?: string) => decider.decide(request(questions, state), { turn: async () => {} }),
    logits: async (question: object) => {
      const [[read] = []] = await decider.logits(request({ q: question }), { turn: async () => {} })
      return Array.from(read!)
    },
  }
}

describe('in both orders', () => {
  it('a choice has the mean of the logits of its options as given and reversed', async () => {
    const [plain, both] = [await open({}), await open({ bothOrders: true })]
    const turned = { ...TEAM, criteria: Object.fromEntries(Object.entries(TEAM.criteria).reverse()) }
    const given = await plain.logits(TEAM)
    const reversed = (await plain.logits(turned)).reverse()
    const mean = await both.logits(TEAM)
    for (const [option, logit] of mean.entries()) {
      expect(logit).toBeCloseTo((given[option]! + reversed[option]!) / 2, 4)
      expect(Math.abs(given[option]! - reversed[option]!)).toBeGreaterThan(1e-3)
    }
    const either = (await both.logits(turned)).reverse()
    for (const [option, logit] of mean.entries()) expect(either[option]).toBeCloseTo(logit, 4)
  })

  it('lines of levels and of yes and no are turned round, and each keeps its symbol', async () => {
    const tokenizer = await loadTokenizer(openFolder(folder))
    const symbols = readChatSymbols(tokenizer, 'tokenizer.json')
    const template = createChatTemplate(tokenizer, { before: '', after: '<|im_end|>' }, { symbols, bothOrders: true })
    const texts = [
      'Question: How angry?\n2. furious\n1. annoyed\n0. calm\nAnswer with the number of one level.<|im_end|>',
      'Question: Urgent?\nno: whenever\nyes: today\nAnswer with no or yes.<|im_end|>',
    ]
    const { score, noul } = parseDecisionRequest({ state: '', questions: { score: ANGER, noul: URGENT } }).questions
    for (const [index, question] of [score!, noul!].entries()) {
      const [, reversed] = template.question(question, 1000)
      expect(reversed).toMatchObject({ ids: tokenizer.encodeTemplate(texts[index]!), turned: false })
    }
  })

  it('changes every kind of answer, in windows too, and counts no more tokens', async () => {
    const [plain, both] = [await open({}), await open({ bothOrders: true })]
    const questions = { TEAM, ANGER, URGENT }
    for (const state of [STATE, STATE.repeat(100)]) {
      const [once, twice] = [await plain.decide(questions, state), await both.decide(questions, state)]
      expect(twice.usage).toEqual(once.usage)
      expect(twice.warnings).toEqual(once.warnings)
      for (const name of Object.keys(questions)) expect(twice.answers[name]).not.toEqual(once.answers[name])
    }
  })

  it('is another model to a calibration', async () => {
    const identify = (symbols: SymbolOptions) => identifyDecider(openFolder(folder), symbols)
    expect((await identify({ bothOrders: true })).template).toBe(
      'chat-1 behind what tokenizer.json puts first in both orders',
    )
    expect((await identify({ bothOrders: false })).template).toBe('chat-1 behind what tokenizer.json puts first')
  })
})

describe('the mass of symbols', () => {
  it('is their share of what could be written', async () => {
    const tokenizer = await loadTokenizer(openFolder(folder))
    const symbols = readChatSymbols(tokenizer, 'tokenizer.json')
    const data = new Float32Array(2 * 263)
    // In the second row a token that is no symbol is as probable as four that are.
    data.fill(-1000, 263)
    for (const symbol of ['A', 'B', 'C', 'D']) data[263 + tokenizer.encode(symbol)[0]!] = 50
    data[263 + tokenizer.encode('!')[0]!] = 50 + Math.log(4)
    const readout = createVocabularyReadout(symbols)
    const read = (row: number) =>
      readout.read({ logits: { type: 'float32', dims: [2, 263], data } }, row, { ...TEAM, type: 'choice' })
    expect(read(0).mass).toBeCloseTo(3 / 263, 9)
    expect(read(1).mass).toBeCloseTo(3 / 8, 6)
    expect([...read(1).logits]).toEqual([50, 50, 50])
  })

  it('stands beside the same answers, for each question', async () => {
    const [plain, heavy] = [await open({}), await open({ symbolMass: true, bothOrders: true })]
    const questions = { TEAM, ANGER, URGENT }
    const { answers, symbol_mass: mass } = await heavy.decide(questions)
    expect(Object.keys(mass!)).toEqual(Object.keys(questions))
    for (const share of Object.values(mass!)) expect(share > 0 && share < 1).toBe(true)
    const both = await open({ bothOrders: true })
    const { probabilities } = (await both.decide(questions)).answers['TEAM'] as { probabilities: object }
    const found = (answers['TEAM'] as { probabilities: Record<string, number> }).probabilities
    for (const [name, probability] of Object.entries(probabilities)) expect(found[name]).toBeCloseTo(probability, 5)
    expect(await plain.decide(questions)).not.toHaveProperty('symbol_mass')
  })

  it('is not told of models that answer otherwise', async () => {
    const tree = await open({ symbolMass: true, bothOrders: true }, fixtureFolder('bert-tree'))
    expect(await tree.decide({ TEAM })).not.toHaveProperty('symbol_mass')
  })
})
