import { Tokenizer as HubTokenizer } from '@huggingface/tokenizers'
import { assert, asyncProperty, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ModelFiles } from '../../models/files/model-files.ts'
import type { DecisionBundle } from '../decision-family.ts'
import { loadTokenizer } from '../tokenizer/tokenizer.ts'
import { readChatSymbols } from './answer-symbols.ts'
import { readAsking } from './asking.ts'
import { createChatTemplate } from './chat-template.ts'
import { CHAT_1 } from './chat-wording.ts'

/*
 * Tokenizers in the form of Llama 2's: a blank before every text, blanks that are letters, bytes for what has no token, and no words.
 */

const BYTES = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`)
const LETTERS = [...'▁abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:?<>[]/']
const WORDS = ['▁y', '▁ye', '▁yes', '▁n', '▁no', 'in', '▁t', '▁th', '▁the', '▁▁', 'er', 'IN', 'INS', 'ye', 'yes', 'no']
/** Words of one letter have a token with the blank before them, digits have none. */
const MARKED = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((symbol) => `▁${symbol}`)
const DIGITS = [...'0123456789']

function makeFile(changes: object = {}, words: readonly string[] = [...WORDS, ...MARKED]) {
  const tokens = ['<unk>', '<s>', '</s>', ...BYTES, ...LETTERS, ...words]
  const merges = words.map((word) => [word.slice(0, -1), word.slice(-1)])
  return {
    added_tokens: ['<unk>', '<s>', '</s>'].map((content, id) => ({ id, content, special: true, normalized: false })),
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'Prepend', prepend: '▁' },
        { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
      ],
    },
    pre_tokenizer: null,
    post_processor: null,
    decoder: null,
    model: {
      type: 'BPE',
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges,
      byte_fallback: true,
      unk_token: '<unk>',
      fuse_unk: true,
    },
    ...changes,
  }
}

function load(file: object) {
  const readText = async (name: string) => (name === 'tokenizer.json' ? JSON.stringify(file) : undefined)
  return loadTokenizer({ location: '/m', readText } as unknown as ModelFiles)
}

/** The same blanks as words that begin with them. */
const METASPACE = {
  normalizer: null,
  pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
}

/** As Mistral has them from version 0.2 on: no words, and a blank before a text alone, not behind an added token. */
const FIRST = {
  normalizer: null,
  pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first', split: false },
}

const MANIFEST = {
  name: 'm',
  version: '1',
  template: 'chat-1',
  readout: 'symbols',
  window: { tokens: 100, overlap: 10, sharpness: 4 },
} as const

function makeBundle(config: object): DecisionBundle {
  const readText = async (name: string) => (name === 'tokenizer_config.json' ? JSON.stringify(config) : undefined)
  return { files: { location: '/m', readText }, symbols: {} } as unknown as DecisionBundle
}

/** A turn that ends in an added token, one without any, Llama 2's own, and those of the chat models of its size that end a prompt in a line end. */
const TURNS = {
  mistral: { before: '<s>[INST] You judge.\n\nDocument:\n', after: '</s>' },
  bare: { before: 'Document:\n', after: ' [/INST]' },
  llama2: { before: '<s>[INST] <<SYS>>\nYou judge.\n<</SYS>>\n\nDocument:\n', after: ' [/INST]' },
  lines: { before: '<|system|>\nYou judge.</s>\n<|user|>\nDocument:\n', after: '</s>\n<|assistant|>\n' },
}

describe('a tokenizer that puts a blank before a text', () => {
  it('gives the ids of the library to any text', async () => {
    const [tokenizer, library] = [await load(makeFile()), new HubTokenizer(makeFile(), {})]
    await assert(
      asyncProperty(string({ unit: 'grapheme', maxLength: 20 }), async (part) => {
        const sample = `${part} the  inner ${part}\nyes ▁ é`
        expect(tokenizer.encode(sample)).toEqual(library.encode(sample, { add_special_tokens: false }).ids)
      }),
    )
    expect(tokenizer.encode('')).toEqual([])
    expect(tokenizer.encodeBehind('the')).not.toEqual(tokenizer.encode('the'))
  })

  it.each([
    ['llama2', {}],
    ['lines', {}],
    ['llama2', METASPACE],
    ['lines', METASPACE],
    ['mistral', FIRST],
    ['bare', FIRST],
    ['llama2', FIRST],
    ['lines', FIRST],
  ] as const)('puts none between the parts of a prompt: %s %j', async (turns, changes) => {
    const { before, after } = TURNS[turns]
    const [tokenizer, library] = [await load(makeFile(changes)), new HubTokenizer(makeFile(changes), {})]
    const symbols = { ids: [], mostOptions: 26, of: () => [], lead: () => [], column: () => 0 }
    const template = createChatTemplate(tokenizer, { before, after }, { symbols })
    const question = { type: 'noul', instructions: 'Is it?' } as const
    for (const state of ['The order is late.', ' indented', 'lines\n\n', '', '{"id": 7}']) {
      const { opening, ids } = template.state(state)
      const cut = [...opening, ...ids, ...template.question(question, 200)[0].ids]
      const text = `${before}${state}\n\nQuestion: Is it?\nAnswer with yes or no.${after}`
      expect(cut).toEqual(library.encode(text, { add_special_tokens: false }).ids)
    }
    const { opening, ids } = template.state('x')
    expect([...opening, ...ids].slice(-template.closing.length)).toEqual(template.closing)
  })

  it('gives the ids of the tokenizers of Python where it stands before the first piece alone', async () => {
    const { encode, encodeBehind, encodeBehindToken, encodeTemplate } = await load(makeFile(FIRST))
    // By tokenizers 0.23.3.
    const ids = [
      ['', []],
      [' ', [259]],
      ['  ', [340]],
      ['the', [339]],
      [' the', [339]],
      ['  the', [259, 339]],
      ['▁the', [339]],
      ['the  ', [339, 340]],
      ['the inner', [339, 259, 336, 273, 341]],
      ['é the', [259, 198, 172, 339]],
      ['\nthe', [259, 13, 279, 267, 264]],
      ['the</s>the', [339, 2, 279, 267, 264]],
      ['</s>the', [2, 279, 267, 264]],
      ['</s> the', [2, 339]],
      ['<s></s>yes no', [1, 2, 345, 335]],
    ] as const
    expect(ids.map(([text]) => [text, encodeTemplate(text)])).toEqual(ids)
    expect([encodeBehind('the'), encodeBehindToken('the')]).toEqual([ids[12][1].slice(1), ids[12][1].slice(1)])
    const long = 'the  inner yes '.repeat(2000)
    expect(encode(long)).toEqual(encodeBehind(` ${long}`))
  })

  it.each([
    ['always', true, [339, 259, 259, 2, 339]],
    ['always', false, [339, 340, 2, 339]],
    ['first', true, [339, 259, 259, 2, 279, 267, 264]],
    ['first', false, [339, 340, 2, 279, 267, 264]],
    ['never', true, [279, 267, 264, 259, 259, 2, 279, 267, 264]],
    ['never', false, [279, 267, 264, 340, 2, 279, 267, 264]],
  ] as const)('reads prepend_scheme %s with split %s as they do', async (prepend_scheme, split, ids) => {
    const { encodeTemplate } = await load(
      makeFile({ pre_tokenizer: { ...FIRST.pre_tokenizer, prepend_scheme, split }, normalizer: null }),
    )
    expect(encodeTemplate('the  </s>the')).toEqual(ids)
  })

  it('answers with a blank where the prompt does not end in one', async () => {
    const tokenizer = await load(makeFile())
    expect(tokenizer.encode('A')).toEqual([makeFile().model.vocab['▁A']])
    expect(tokenizer.encodeBehind('A')).toEqual([makeFile().model.vocab['A']])
    expect(readChatSymbols(tokenizer, 'tokenizer.json').ids[0]).toBe(makeFile().model.vocab['▁yes'])
  })

  it.each([
    ['a score ends in the blank before digits that have no token with it', 'llama2', {}, [], { blank: true, mark: '' }],
    ['but not where digits have one', 'llama2', {}, DIGITS, { blank: false, mark: '▁' }],
    ['nor where the prompt ends in a line end', 'lines', {}, [], { blank: false, mark: '' }],
    ['so it does where only a text begins with a blank', 'llama2', FIRST, [], { blank: true, mark: '' }],
    ['behind an added token too', 'mistral', FIRST, [], { blank: true, mark: '' }],
    ['and not where digits have one there', 'mistral', FIRST, DIGITS, { blank: false, mark: '▁' }],
    ['nor there behind a line end', 'lines', FIRST, [], { blank: false, mark: '' }],
  ] as const)('%s', async (_, turns, changes, joined, { blank, mark }) => {
    const file = makeFile(changes, [...WORDS, ...MARKED, ...joined.map((digit) => `▁${digit}`)])
    const [tokenizer, library] = [await load(file), new HubTokenizer(file, {})]
    const { before, after } = TURNS[turns]
    const turn = before
      .replace('You judge.', '{{ messages[0].content }}')
      .replace('Document:\n', '{{ messages[1].content }}')
    // Jinja leaves out a line end that a template ends in.
    const chat_template = `${turn}${after}{{ '' }}`
    const { template, readout } = await readAsking(makeBundle({ chat_template }), MANIFEST, tokenizer)
    const score = { type: 'score', instructions: 'How bad?', criteria: ['fine', 'bad'] } as const
    const noul = { type: 'noul', instructions: 'Is it?' } as const
    const { opening, ids } = template.state('The order is late.')
    const symbolIds = Array.from(readout.feeds['symbol_ids']!.data as BigInt64Array, Number)
    const digits = DIGITS.map((digit) => file.model.vocab[`${mark}${digit}`]!)
    expect(symbolIds.slice(28, 38)).toEqual(digits)
    const asked = 'Question: How bad?\n0. fine\n1. bad\nAnswer with the number of one level.'
    const prompt = `${before.replace('You judge.', CHAT_1.system)}The order is late.\n\n${asked}${after}`
    for (const [digit, id] of digits.entries()) {
      const answered = `${prompt}${turns === 'lines' ? '' : ' '}${digit}`
      const cut = [...opening, ...ids, ...template.question(score, 200)[0].ids, id]
      expect(cut).toEqual(library.encode(answered, { add_special_tokens: false }).ids)
    }
    const last = [score, noul].map((question) => template.question(question, 200)[0].ids.at(-1))
    expect(last.map((id) => id === file.model.vocab['▁'])).toEqual([blank, false])
  })

  it('begins a text behind the token that a model without a chat template begins with', async () => {
    const tokenizer = await load(makeFile(FIRST))
    const openings = await Promise.all(
      [true, false].map(async (add_bos_token) => {
        const { template } = await readAsking(makeBundle({ add_bos_token, bos_token: '<s>' }), MANIFEST, tokenizer)
        return template.opening
      }),
    )
    const text = tokenizer.encode('<|im_start|>')
    expect(openings[0]!.slice(0, text.length + 1)).toEqual([makeFile().model.vocab['<s>'], ...text])
    expect(openings[0]!.slice(1)).toEqual(openings[1])
  })

  it('is refused where only some digits have a token with the blank', async () => {
    const tokenizer = await load(makeFile({}, [...WORDS, ...MARKED, '▁7']))
    expect(() => readChatSymbols(tokenizer, 'tokenizer.json')).toThrow('single, distinct tokens, got "0", which is not')
  })

  it('is refused with words that are cut besides, by name', async () => {
    const pre_tokenizer = { type: 'Whitespace' }
    await expect(load(makeFile({ pre_tokenizer }))).rejects.toThrow('no pre_tokenizer beside Prepend, got Whitespace')
  })
})
