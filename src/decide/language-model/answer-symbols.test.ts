import { describe, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { TINY_MANIFEST, writeTinyBundle } from '../../../test/helpers/tiny-bundle.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { parseDecisionRequest } from '../../schemas/index.ts'
import { openDecider } from '../index.ts'
import { loadTokenizer } from '../tokenizer/tokenizer.ts'
import { readChatSymbols } from './answer-symbols.ts'
import { createChatTemplate } from './chat-template.ts'
import { createSymbolReadout } from './readout.ts'

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
/** AA to AZ are one token each, BA is not, and the rest of B are. */
const PAIRS = [...LETTERS.map((letter) => `A ${letter}`), ...LETTERS.slice(1).map((letter) => `B ${letter}`)]

function choiceOf(options: number) {
  const criteria = Object.fromEntries(Array.from({ length: options }, (_, index) => [`option ${index}`, null]))
  return { type: 'choice', instructions: 'Which?', criteria } as const
}

async function openTiny(merges: readonly string[]) {
  const folder = await writeTinyBundle({ manifest: {}, merges })
  const tokenizer = await loadTokenizer(openFolder(folder))
  return { folder, tokenizer, symbols: readChatSymbols(tokenizer, 'tokenizer.json') }
}

describe('the symbols of options', () => {
  it('are letters for 26, and beyond that pairs of letters that are one token', async () => {
    const { symbols } = await openTiny(PAIRS)
    expect(symbols.mostOptions).toBe(51)
    expect(symbols.of(choiceOf(26))).toEqual(LETTERS)
    const pairs = symbols.of(choiceOf(51))
    expect(pairs.slice(0, 2)).toEqual(['AA', 'AB'])
    expect(pairs.slice(25)).toEqual(['AZ', ...LETTERS.slice(1).map((letter) => `B${letter}`)])
  })

  it('are no more than the letters where the tokenizer has no pairs to speak of, nor more than 255', async () => {
    expect((await openTiny([])).symbols.mostOptions).toBe(26)
    expect((await openTiny(PAIRS.slice(0, 20))).symbols.mostOptions).toBe(26)
    const all = LETTERS.flatMap((first) => LETTERS.map((second) => `${first} ${second}`))
    expect((await openTiny(all)).symbols.mostOptions).toBe(255)
  })

  it('stand before the options in the question, and are what is read', async () => {
    const { tokenizer, symbols } = await openTiny(PAIRS)
    const template = createChatTemplate(tokenizer, { before: '<|im_start|>', after: '<|im_end|>' }, { symbols })
    const question = choiceOf(30)
    const named = symbols.of(question)
    const lines = named.map((symbol, index) => `${symbol}. option ${index}\n`).join('')
    const text = `Question: Which?\n${lines}Answer with the letters of one option.<|im_end|>`
    expect(template.question(question, 1000)[0].ids).toEqual(tokenizer.encodeTemplate(text))
    const readout = createSymbolReadout(symbols)
    const ids = Float32Array.from(readout.feeds['symbol_ids']!.data as BigInt64Array, Number)
    const outputs = { logits: { type: 'float32', dims: [1, ids.length], data: ids } } as const
    expect([...readout.read(outputs, 0, question).logits]).toEqual(named.flatMap((symbol) => tokenizer.encode(symbol)))
  })
})

it('a plain language model tells as many options apart as it has symbols for', async () => {
  const backend = await cpuBackend()
  const { folder } = await openTiny(PAIRS)
  const decider = await openDecider({ backend, files: openFolder(folder) })
  const ask = (options: number) => {
    const body = { state: 'x', questions: { q: choiceOf(options) } }
    return decider.decide(parseDecisionRequest(body, { maxOptions: 255 }), { turn: async () => {} })
  }
  const { answers } = await ask(51)
  const probabilities = Object.values((answers['q'] as { probabilities: Record<string, number> }).probabilities)
  expect(probabilities).toHaveLength(51)
  expect(new Set(probabilities).size).toBe(51)
  await expect(ask(52)).rejects.toMatchObject({
    path: 'questions.q.criteria',
    reason: 'has 52 options, and this model tells at most 51 apart',
  })
  await decider.dispose()
})

it.each([
  ['chat-1', 'scorer'],
  ['tree-1', 'symbols'],
  ['tree-1', 'scorer'],
])('a language model with template %s and readout %s is refused by name', async (template, readout) => {
  const backend = await cpuBackend()
  const folder = await writeTinyBundle({ manifest: { ...TINY_MANIFEST, template, readout } })
  await expect(openDecider({ backend, files: openFolder(folder) })).rejects.toMatchObject({
    code: 'model_format',
    file: expect.stringContaining('tessera.json'),
    got: `${template} with ${readout}`,
  })
})
