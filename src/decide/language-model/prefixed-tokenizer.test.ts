import { Tokenizer as HubTokenizer } from '@huggingface/tokenizers'
import { assert, asyncProperty, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { loadTokenizer } from '../tokenizer/tokenizer.ts'
import { readChatSymbols } from './answer-symbols.ts'
import { createChatTemplate } from './chat-template.ts'

/*
 * Tokenizers in the form of Llama 2's: a blank before every text, blanks that are letters, bytes for what has no token, and no words.
 */

const BYTES = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`)
const LETTERS = [...'▁abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:?<>[]/']
const WORDS = ['▁y', '▁ye', '▁yes', '▁n', '▁no', 'in', '▁t', '▁th', '▁the', '▁▁', 'er', 'IN', 'INS', 'ye', 'yes', 'no']
const MARKED = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'].map((symbol) => `▁${symbol}`)

function makeFile(changes: object = {}) {
  const tokens = ['<unk>', '<s>', '</s>', ...BYTES, ...LETTERS, ...WORDS, ...MARKED]
  const merges = [...WORDS, ...MARKED].map((word) => [word.slice(0, -1), word.slice(-1)])
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

/** Llama 2's own turns, and those of the chat models of its size that end a prompt in a line end. */
const TURNS = {
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

  it.each(Object.entries(TURNS))('puts none between the parts of a prompt: %s', async (_, { before, after }) => {
    const [tokenizer, library] = [await load(makeFile()), new HubTokenizer(makeFile(), {})]
    const symbols = { ids: [], mostOptions: 26, of: () => [], column: () => 0 }
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

  it('answers with a blank where the prompt does not end in one', async () => {
    const tokenizer = await load(makeFile())
    expect(tokenizer.single('A')).toBe(makeFile().model.vocab['▁A'])
    expect(tokenizer.single('A', true)).toBe(makeFile().model.vocab['A'])
    expect(readChatSymbols(tokenizer, 'tokenizer.json').ids[0]).toBe(makeFile().model.vocab['▁yes'])
  })

  it('is refused with words that are cut besides, by name', async () => {
    const pre_tokenizer = { type: 'Whitespace' }
    await expect(load(makeFile({ pre_tokenizer }))).rejects.toThrow('no pre_tokenizer beside Prepend, got Whitespace')
  })
})
