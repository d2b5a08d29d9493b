import { describe, expect, it } from 'vitest'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import type { Question } from '../../schemas/index.ts'
import { BERT_NAMES } from '../tokenizer/special-names.ts'
import { loadTokenizer, type Tokenizer } from '../tokenizer/tokenizer.ts'
import { loadWordPieceTokenizer } from '../tokenizer/word-piece-tokenizer.ts'
import type { EncoderFormat } from './encoder-format.ts'
import { juliaFormat } from './julia.ts'
import { layaFormat } from './laya.ts'
import { nliFormat } from './nli.ts'
import { openDeciderFormat } from './opendecider-nano.ts'
import { bertPair } from './pair-frame.ts'
import { ask, context, openDeciders } from './test-support/open-deciders.ts'

const POSITIONS = 320
const NLI = { labels: { count: 3, entailment: 0, contradiction: 1 }, positions: POSITIONS, frame: bertPair(BERT_NAMES) }
const AGENT = {
  max_len: POSITIONS,
  head_max_len: 160,
  head_layers: 1,
  option_layout: 'sequential',
  temperature: [1, 1, 1] as [number, number, number],
  temperature_by_options: {},
} as const
const JULIA_NAMES = { start: '<bos>', end: '<eos>', marker: '<mask>' }
const words = (folder: string) => loadTokenizer(openFolder(fixtureFolder(folder)), { ordinary: true })

interface Case {
  readonly name: string
  readonly load: () => Promise<Tokenizer>
  readonly format: (tokenizer: Tokenizer) => EncoderFormat
}

const CASES: readonly Case[] = [
  { name: 'laya', load: () => words('laya/tokenizer'), format: (tokenizer) => layaFormat(tokenizer, AGENT) },
  {
    name: 'julia',
    load: () => words('julia/tokenizer'),
    format: (tokenizer) => juliaFormat(tokenizer, { max_length: POSITIONS, head_length: 160 }, JULIA_NAMES),
  },
  {
    name: 'opendecider-nano',
    load: () => words('opendecider-nano'),
    format: (tokenizer) => openDeciderFormat(tokenizer, POSITIONS),
  },
  {
    name: 'nli-bert',
    load: () => loadWordPieceTokenizer(openFolder(fixtureFolder('nli-bert'))),
    format: (tokenizer) => nliFormat(tokenizer, NLI),
  },
  {
    name: 'nli-modernbert',
    load: () => words('nli-modernbert'),
    format: (tokenizer) => nliFormat(tokenizer, NLI),
  },
]

const LONG = 'a '.repeat(100_000)
const QUESTIONS: readonly Question[] = [
  { type: 'choice', criteria: { a: LONG, b: LONG } },
  { type: 'score', criteria: [LONG, LONG, LONG] },
  { type: 'noul', instructions: LONG },
  { type: 'noul', instructions: 'Is it?', criteria: { true: LONG, false: LONG } },
]

const open = openDeciders()

describe.each(CASES)('$name', ({ name, load, format }) => {
  it('makes no more tokens of a question than show that it is too long', async () => {
    const tokenizer = await load()
    let made = 0
    const encode = (text: string, most?: number) => {
      const ids = tokenizer.encode(text, most)
      made += ids.length
      return ids
    }
    const { frame } = format({ ...tokenizer, encode })
    const refuse = (reason: string): never => {
      throw new Error(reason)
    }
    for (const question of QUESTIONS) {
      made = 0
      expect(() => frame(question, refuse)).toThrow(
        `takes more than ${POSITIONS} tokens, and this model has room for ${POSITIONS} with the state`,
      )
      expect(made).toBeLessThan(2 * POSITIONS)
    }
  })

  it('refuses a question of 200,000 characters by its name', async () => {
    const decider = await open(name)
    for (const question of QUESTIONS) {
      await expect(decider.decide(ask('a', question), context)).rejects.toMatchObject({
        code: 'invalid_request',
        path: 'questions.q',
        reason: expect.stringMatching(/^its text takes more than \d+ tokens/),
      })
    }
  })
})
