import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { furthest } from '../../../test/helpers/furthest.ts'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { ATTENTION_FORMS, withAttention } from '../../../test/helpers/with-attention.ts'
import { withTexts } from '../../../test/helpers/with-texts.ts'
import { type Backend } from '../../backends/index.ts'
import { halfBound } from '../../graph/test-support/half-rounding.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { indexWeights } from '../../models/weights/index-weights.ts'
import { parseDecisionRequest, type DecisionRequest, type Question } from '../../schemas/index.ts'
import { type Decider, openDecider } from '../index.ts'
import { loadWordPieceTokenizer } from '../tokenizer/word-piece-tokenizer.ts'
import { openTreeModel } from './open-tree-decider.ts'
import { createTreeTokens, JOIN } from './tree-branch.ts'
import { readTreeConfig } from './tree-config.ts'
import { createTreeReader } from './tree-reader.ts'
import { treeOptionTexts, treeText } from './tree-text.ts'
import { openTreeWindow } from './tree-window.ts'

const FOLDER = fixtureFolder('bert-tree')
const context = { turn: async () => {} }

/** What `fixture.py` of the recipe writes. */
interface ExpectedRequest {
  readonly state: DecisionRequest['state']
  readonly text: string
  readonly trunk: readonly number[]
  readonly questions: readonly {
    readonly question: Question
    readonly texts: { readonly branch: string; readonly leaves: readonly string[] }
    readonly tokens: readonly number[]
    readonly positions: readonly number[]
    readonly levels: readonly number[]
    readonly part: readonly number[]
    readonly logits: readonly number[]
  }[]
}

const backend = await cpuBackend()
let decider: Decider
let expected: readonly ExpectedRequest[]
beforeAll(async () => {
  decider = await openDecider({ backend, files: openFolder(FOLDER) })
  expected = JSON.parse(await readFile(join(FOLDER, 'requests.json'), 'utf8'))
})
afterAll(() => decider.dispose())

/** The expected logits are of whole states, also of one that is read in windows. */
function inOneWindow(): ModelFiles {
  return withTexts(openFolder(FOLDER), { 'tessera.json': (text) => text.replace('"tokens": 320', '"tokens": 480') })
}

function requestOf({ state, questions }: ExpectedRequest): DecisionRequest {
  return { state, questions: Object.fromEntries(questions.map(({ question }, index) => [`q${index}`, question])) }
}

function ask(state: string, questions: Record<string, unknown>) {
  return decider.logits(parseDecisionRequest({ state, questions }), context)
}

const CHOICE = {
  type: 'choice',
  instructions: 'which team?',
  criteria: { billing: 'payments', tech: null, sales: 'offers and prices', other: 'all the rest' },
} as const
const URGENT = { type: 'noul', instructions: 'is it urgent?' } as const
const LONG_STATE = 'the app crashes when i press save. '.repeat(60)

describe('a tree of questions agrees with the training code', () => {
  it('in texts and tokens', async () => {
    const { layout } = await readTreeConfig(openFolder(FOLDER))
    const tokens = createTreeTokens(await loadWordPieceTokenizer(openFolder(FOLDER)), layout)
    for (const { state, text, trunk, questions } of expected) {
      expect(treeText(state)).toBe(text)
      expect(tokens.trunk(tokens.state(text))).toEqual(trunk)
      for (const { question, texts, ...wanted } of questions) {
        expect(treeOptionTexts(question)).toEqual(texts.leaves)
        const branch = tokens.question(question, 4096)
        const order = branch.leafOf.flatMap((leaf) => rowsOf(branch.parts, leaf + 1))
        const rows = [...rowsOf(branch.parts, 0), ...order, ...rowsOf(branch.parts, JOIN)]
        const inOrder = (values: readonly number[]) => rows.map((row) => values[row])
        expect(inOrder(branch.ids)).toEqual(wanted.tokens)
        expect(inOrder(branch.offsets).map((offset) => trunk.length + offset!)).toEqual(wanted.positions)
        expect(inOrder(branch.levels)).toEqual(wanted.levels)
        expect(rows.length).toBe(wanted.part.length)
      }
    }
  })

  it.each(ATTENTION_FORMS)('in logits to 1e-4, with %s attention', async (attention) => {
    const other = await openDecider({ backend: withAttention(backend, attention), files: inOneWindow() })
    for (const request of expected) {
      const logits = await other.logits(requestOf(request), context)
      const { questions } = request
      expect(logits.every((windows) => windows.length === 1)).toBe(true)
      for (const [index, question] of questions.entries()) {
        expect(furthest(logits[index]?.[0], question.logits)).toBeLessThan(1e-4)
      }
    }
    await other.dispose()
  })
})

describe('a tree of questions in half precision', () => {
  const inHalf = (): Backend => ({ ...withAttention(backend, 'fused'), precision: 'float16' })

  it('agrees with the training code to its rounding', async () => {
    const half = await openDecider({ backend: inHalf(), files: inOneWindow() })
    for (const request of expected) {
      const logits = await half.logits(requestOf(request), context)
      for (const [index, question] of request.questions.entries()) {
        expect(furthest(logits[index]?.[0], question.logits)).toBeLessThan(halfBound(0.05))
      }
    }
    await half.dispose()
  })

  it('reads a question of many options in several passes', async () => {
    const criteria = Object.fromEntries(Array.from({ length: 26 }, (_, i) => [`option ${i}`, 'words of it '.repeat(3)]))
    const request = parseDecisionRequest({ state: 'the app crashes.', questions: { wide: { ...CHOICE, criteria } } })
    expect(decider.countTokens(request).questions['wide']).toBeGreaterThan(256)
    const half = await openDecider({ backend: inHalf(), files: openFolder(FOLDER) })
    const [[got], [wanted]] = [await half.logits(request, context), await decider.logits(request, context)]
    expect(furthest(got![0], wanted![0]!)).toBeLessThan(halfBound(0.05))
    await half.dispose()
  })
})

describe('a tree of questions', () => {
  it('answers a choice alike, to the last bit, whatever the order of its options', async () => {
    const reversed = { ...CHOICE, criteria: Object.fromEntries(Object.entries(CHOICE.criteria).reverse()) }
    const [[given], [turned]] = [await ask(LONG_STATE, { a: CHOICE }), await ask(LONG_STATE, { a: reversed })]
    expect(given!.length).toBeGreaterThan(1)
    for (const [window, logits] of given!.entries()) expect([...turned![window]!].reverse()).toEqual([...logits])
    expect(new Set(given![0]).size).toBe(4)
  })

  it('is not changed by other questions', async () => {
    const [alone] = await ask(LONG_STATE, { a: CHOICE })
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`q${i}`, { ...URGENT, instructions: `is it ${i}?` }]),
    )
    // One that takes smaller windows than the others.
    const long = { type: 'noul', instructions: 'is it so? '.repeat(40) }
    const { length } = Object.keys(many)
    const among = await ask(LONG_STATE, { ...many, a: CHOICE, long })
    expect(among[length]!.length).toBe(alone!.length)
    expect(among[length + 1]!.length).toBeGreaterThan(alone!.length)
    for (const [window, logits] of alone!.entries()) expect(furthest(among[length]![window], logits)).toBeLessThan(1e-5)
  })

  it('reads a question of many options in several passes as it would in one', async () => {
    const criteria = Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`option ${i}`, `number ${i} of all`]))
    const files = openFolder(FOLDER)
    const { config, layout } = await readTreeConfig(files)
    const tokenizer = await loadWordPieceTokenizer(files)
    const tokens = createTreeTokens(tokenizer, layout)
    const branch = tokens.question({ ...CHOICE, criteria }, 4096)
    expect(branch.ids.length).toBeGreaterThan(1000)
    const model = await openTreeModel(backend, {
      config,
      files,
      weights: await indexWeights(files),
      layout,
      unread: [],
    })
    const trunk = tokens.trunk(tokens.state('the app crashes.'))
    const read = async (most?: number) => {
      const reader = createTreeReader(model, [branch], most)
      const [logits] = await reader.read(await openTreeWindow(model.trunk, trunk), context.turn)
      return { logits: logits!, passes: reader.passes }
    }
    const [several, single] = [await read(), await read(4096)]
    expect(several.passes).toBeGreaterThanOrEqual(branch.ids.length / 256)
    expect(single.passes).toBe(1)
    expect(furthest(several.logits, single.logits)).toBeLessThan(1e-4)
    expect(new Set(several.logits).size).toBe(120)
    await Promise.all([model.trunk.dispose(), model.branch.dispose(), model.scorer.dispose()])
  })

  it('counts the state once and each question, as usage does', async () => {
    const request = parseDecisionRequest({ state: LONG_STATE, questions: { a: CHOICE, b: URGENT } })
    const count = decider.countTokens(request)
    const { usage } = await decider.decide(request, context)
    expect(usage).toEqual({ input_tokens: count.input_tokens, output_tokens: 0 })
    expect(count.input_tokens).toBe(count.state + count.questions['a']! + count.questions['b']!)
  })

  it('refuses a question that leaves no room for a state, with its length and the limit', async () => {
    const questions = { ok: URGENT, 'too.long': { ...URGENT, instructions: 'is it so? '.repeat(120) } }
    await expect(decider.decide(parseDecisionRequest({ state: 'a', questions }), context)).rejects.toMatchObject({
      code: 'invalid_request',
      loc: ['questions', 'too.long'],
      reason: expect.stringMatching(/takes \d{3} tokens with its longest option, and this model has room for 446/),
    })
  })

  it('reports every pass and stops where the turn throws', async () => {
    const stop = new Error('stop')
    const request = parseDecisionRequest({ state: LONG_STATE, questions: { a: CHOICE } })
    const stages: number[] = []
    const onProgress = ({ done, total }: { done: number; total: number }) => stages.push(done / total)
    await decider.decide(request, { ...context, onProgress })
    expect(stages[0]).toBe(0)
    expect(stages.at(-1)).toBe(1)
    const passes = stages.length - 1
    let turns = 0
    const turn = async () => {
      if (++turns === passes) throw stop
    }
    await expect(decider.decide(request, { turn })).rejects.toBe(stop)
  })
})

function rowsOf(parts: readonly number[], part: number): number[] {
  return parts.flatMap((of, row) => (of === part ? [row] : []))
}
