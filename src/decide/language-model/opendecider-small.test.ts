import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { furthest } from '../../../test/helpers/furthest.ts'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { withTexts } from '../../../test/helpers/with-texts.ts'
import { readChatTemplate } from '../../models/chat-template.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { withLora } from '../../models/lora/with-lora.ts'
import { quantizeWeights } from '../../models/quantize/quantize-weights.ts'
import { type DecisionRequest, parseDecisionRequest, type Question } from '../../schemas/index.ts'
import { identifyDecider } from '../identify-decider.ts'
import { openDecider } from '../index.ts'
import { loadTokenizer } from '../tokenizer/tokenizer.ts'
import { readLetters } from './answer-symbols.ts'
import { readChatFormat } from './chat-format.ts'
import { createChatTemplate } from './chat-template.ts'
import { OPENDECIDER_SMALL } from './opendecider-small.ts'

/** What generate-decision-fixtures.py writes. */
interface Expected {
  readonly state: DecisionRequest['state']
  readonly question: Question
  readonly ids: readonly number[]
  readonly logits: readonly number[]
}

const folder = fixtureFolder('opendecider-small')
const files = openFolder(folder)
const context = { turn: async () => {} }

const backend = await cpuBackend()
let cases: Expected[]
beforeAll(async () => {
  cases = JSON.parse(await readFile(join(folder, 'requests.json'), 'utf8'))
})

function ask(state: unknown, question: unknown): DecisionRequest {
  return parseDecisionRequest({ state, questions: { q: question } })
}

function open(changes: Record<string, string> = {}) {
  return openDecider({ backend, files: withTexts(files, changes) })
}

describe('opendecider-small agrees with its authors’ code', () => {
  it('in the tokens of a request, whatever a text ends with or is called', async () => {
    const tokenizer = await loadTokenizer(files)
    const symbols = readLetters(tokenizer, 'tokenizer.json')
    const format = readChatFormat(await readChatTemplate(files), OPENDECIDER_SMALL)
    const template = createChatTemplate(tokenizer, format, { symbols, wording: OPENDECIDER_SMALL })
    for (const { state, question, ids } of cases) {
      const { opening, ids: of } = template.state(state)
      expect([...opening, ...of, ...template.question(question, 1000)[0].ids]).toEqual(ids)
    }
  })

  it('in the logits to 1e-4, and in its name', async () => {
    const decider = await open()
    for (const { state, question, logits } of cases) {
      const [[read] = []] = await decider.logits(ask(state, question), context)
      expect(read).toHaveLength(logits.length)
      expect(furthest(read, logits)).toBeLessThan(1e-4)
    }
    expect((await decider.decide(ask('x', cases[0]!.question), context)).model).toBe('tiny-small')
    await decider.dispose()
  })
})

describe('opendecider-small as an adapter beside its base', () => {
  const work = temporaryFolder()
  beforeAll(() => quantizeWeights({ folder, out: join(work, 'quantized'), bits: 8, blockSize: 32 }))

  it.each([
    ['float', 1e-4],
    ['quantised', 0.2],
  ])('agrees with its authors’ code on %s weights, to %s', async (weights, tolerance) => {
    const adapter = fixtureFolder('opendecider-small-lora')
    const plain = openFolder(weights === 'float' ? folder : join(work, 'quantized'))
    // The published base says nothing of how the adapter wants to be asked.
    const base = withTexts(plain, { 'opendecider.json': undefined })
    const decider = await openDecider({ backend, files: withLora(base, [{ path: adapter, scale: 1 }]) })
    const adapted: Omit<Expected, 'ids'>[] = JSON.parse(await readFile(join(adapter, 'requests.json'), 'utf8'))
    const own = new Map(cases.map(({ state, question, logits }) => [JSON.stringify([state, question]), logits]))
    for (const { state, question, logits } of adapted) {
      const [[read] = []] = await decider.logits(ask(state, question), context)
      expect(furthest(read, logits)).toBeLessThan(tolerance)
      expect(furthest(read, own.get(JSON.stringify([state, question]))!)).toBeGreaterThan(2 * tolerance)
    }
    await decider.dispose()
  })
})

it('opendecider-small is another model to a calibration than a plain one', async () => {
  const { id, template } = await identifyDecider(files, { bothOrders: true })
  expect([id, template]).toEqual(['tiny-small', 'opendecider-small in both orders'])
})

it('opendecider-small refuses more options than letters, naming the limit', async () => {
  const decider = await open()
  const criteria = Object.fromEntries(Array.from({ length: 27 }, (_, index) => [`option ${index}`, null]))
  const request = { state: 'x', questions: { q: { type: 'choice', instructions: 'Which?', criteria } } }
  await expect(decider.decide(parseDecisionRequest(request, { maxOptions: 30 }), context)).rejects.toMatchObject({
    reason: 'has 27 options, and this model tells at most 26 apart',
  })
  await decider.dispose()
})

it.each([
  [{ 'opendecider.json': '{"kind":"small-mlx"}' }, 'opendecider.json', 'kind'],
  [{ 'opendecider.json': '{"kind":"nano"}' }, 'opendecider.json', 'nano'],
  [{ 'chat_template.jinja': undefined }, 'tokenizer_config.json', 'none'],
])('a checkpoint of opendecider with %j is refused by name', async (changes, file, got) => {
  await expect(openDecider({ backend, files: withTexts(files, changes) })).rejects.toMatchObject({
    code: 'model_format',
    file: expect.stringContaining(file),
    got: expect.stringContaining(got),
  })
})
