import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { withTexts } from '../../../test/helpers/with-texts.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import type { Tokenizer } from './tokenizer.ts'
import { loadWordPieceTokenizer, readBertSettings } from './word-piece-tokenizer.ts'

const FOLDER = fixtureFolder('word-piece')

function loadChanged(change: (text: string) => string, options?: Parameters<typeof loadWordPieceTokenizer>[1]) {
  return loadWordPieceTokenizer(withTexts(openFolder(FOLDER), { 'tokenizer.json': change }), options)
}

function withTokens(added: (tokens: object[]) => object[]) {
  return (text: string) => {
    const file = JSON.parse(text) as { added_tokens: object[] }
    return JSON.stringify({ ...file, added_tokens: added(file.added_tokens) })
  }
}

describe('a WordPiece tokenizer', () => {
  let tokenizer: Tokenizer
  beforeAll(async () => {
    tokenizer = await loadWordPieceTokenizer(openFolder(FOLDER))
  })

  it('gives the ids that the tokenizers library gives', async () => {
    const expected: { text: string; ids: number[] }[] = JSON.parse(
      await readFile(join(FOLDER, 'expected.json'), 'utf8'),
    )
    for (const { text, ids } of expected) expect({ text, ids: tokenizer.encode(text) }).toEqual({ text, ids })
  })

  it('leaves Chinese characters in words where the file says so', async () => {
    const { encode } = await loadChanged((text) =>
      text.replace(/"handle_chinese_chars":\s*true/, '"handle_chinese_chars":false'),
    )
    expect(encode('late𠮷open')).toHaveLength(1)
  })

  it('gives no structural token for its name in a text', () => {
    const special = ['[CLS]', '[SEP]', '[MASK]'].map((name) => tokenizer.structural(name))
    expect(tokenizer.encode('[CLS] [SEP]x[MASK]').filter((id) => special.includes(id))).toEqual([])
    expect(() => tokenizer.structural('[NONE]')).toThrow('[NONE]')
  })

  it('stops soon after what may be', () => {
    expect(tokenizer.encode('the parcel '.repeat(1000), 5).length).toBeLessThan(10)
  })

  it('takes time with the length of a text, whatever is in it', () => {
    const started = performance.now()
    tokenizer.encode(`e${'\u0301'.repeat(100_000)} ${'x'.repeat(100_000)}`)
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  it('is read with a vocabulary of two hundred thousand tokens', async () => {
    const { encode } = await loadChanged((text) => {
      const file = JSON.parse(text) as { model: { vocab: Record<string, number> } }
      const from = Object.keys(file.model.vocab).length
      for (let id = from; id < 200_000; id++) file.model.vocab[`q${id}`] = id
      return JSON.stringify(file)
    })
    expect(encode('the q199999 parcel')).toEqual([...tokenizer.encode('the'), 199_999, ...tokenizer.encode('parcel')])
  })

  it('is refused where the file describes another kind, naming it', async () => {
    const other = loadChanged((text) => text.replace('"WordPiece"', '"Unigram"'))
    await expect(other).rejects.toThrow('a WordPiece tokenizer')
  })

  it('is refused where control characters are to stay in texts, naming the field', async () => {
    const other = loadChanged((text) => {
      const file = JSON.parse(text) as { normalizer: object }
      return JSON.stringify({ ...file, normalizer: { ...file.normalizer, clean_text: false } })
    })
    await expect(other).rejects.toThrow('normalizer.clean_text')
  })
})

describe('tokens that were added to a WordPiece tokenizer, which are no special ones,', () => {
  const added = { lstrip: false, rstrip: false, single_word: false, special: false }
  const load = (...tokens: object[]) => loadChanged(withTokens((own) => [...own, ...tokens]))
  const raw = { ...added, id: 900, content: '<E1>', normalized: false }
  const lowered = { ...added, id: 901, content: 'COVID19', normalized: true }

  // What the tokenizers library gives: the one as it is written, the other in any case.
  it('are found in texts: those that are not normalised as they are written, others in what was normalised', async () => {
    const { encode } = await load(raw, lowered)
    expect(encode('<E1>covid19 x')).toEqual([900, 901, ...encode('x')])
    expect(encode('Covid19<E1>')).toEqual([901, 900])
    expect(encode('<e1>')).not.toContain(900)
    expect(encode('the <E1> parcel')).toEqual([...encode('the'), 900, ...encode('parcel')])
  })

  it('are refused where they are found as words alone or with the blanks around them, or have no embedding', async () => {
    await expect(load({ ...raw, single_word: true })).rejects.toThrow('single_word false in the added token <E1>')
    const limited = loadChanged(
      withTokens(() => [{ ...raw, id: 1e6 }]),
      { vocabulary: 10_000 },
    )
    await expect(limited).rejects.toThrow('<E1> below 10000')
  })
})

describe('what tokenizer_config.json says of how texts are normalised', () => {
  const within = (config: object) =>
    readBertSettings(withTexts(openFolder(FOLDER), { 'tokenizer_config.json': JSON.stringify(config) }))

  it('takes the place of what tokenizer.json says, as in transformers', async () => {
    const fields = { do_lower_case: false, strip_accents: null, tokenize_chinese_chars: true }
    const normalizing = { lowercase: false, strip_accents: null, handle_chinese_chars: true }
    expect(await within(fields)).toEqual({ normalizing, oneSegment: false })
    expect(await within({ ...fields, tokenizer_class: 'BertTokenizerFast' })).toMatchObject({ normalizing })
    expect(await within({ ...fields, tokenizer_class: 'PreTrainedTokenizerFast' })).toEqual({
      normalizing: {},
      oneSegment: false,
    })
    const { encode } = await loadWordPieceTokenizer(openFolder(FOLDER), { normalizing })
    const lowering = await loadWordPieceTokenizer(openFolder(FOLDER))
    expect(encode('THE')).not.toEqual(lowering.encode('THE'))
    expect(encode('the')).toEqual(lowering.encode('the'))
  })

  it('is what BertTokenizer does by default where nothing is said', async () => {
    const normalizing = { lowercase: true, strip_accents: null, handle_chinese_chars: true }
    expect(await within({ tokenizer_class: 'BertTokenizer' })).toEqual({ normalizing, oneSegment: false })
    const files = { ...openFolder(FOLDER), readText: async () => undefined }
    expect(await readBertSettings(files)).toEqual({ normalizing, oneSegment: false })
  })

  it('says whether the model is told the texts of a pair apart', async () => {
    const inputs = ['input_ids', 'attention_mask']
    expect(await within({ model_input_names: inputs })).toMatchObject({ oneSegment: true })
    expect(await within({ model_input_names: [...inputs, 'token_type_ids'] })).toMatchObject({ oneSegment: false })
  })
})
