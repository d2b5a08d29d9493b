import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import type { Tokenizer } from './tokenizer.ts'
import { loadWordPieceTokenizer } from './word-piece-tokenizer.ts'

const FOLDER = fixtureFolder('word-piece')

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
    const files = openFolder(FOLDER)
    const change = async (name: string) =>
      (await files.readText(name))?.replace(/"handle_chinese_chars":\s*true/, '"handle_chinese_chars":false')
    const { encode } = await loadWordPieceTokenizer({ ...files, readText: change })
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

  it('is read with a vocabulary of half a million tokens', async () => {
    const files = openFolder(FOLDER)
    const change = async (name: string) => {
      const file = JSON.parse((await files.readText(name))!) as { model: { vocab: Record<string, number> } }
      const from = Object.keys(file.model.vocab).length
      for (let id = from; id < 500_000; id++) file.model.vocab[`q${id}`] = id
      return JSON.stringify(file)
    }
    const { encode } = await loadWordPieceTokenizer({ ...files, readText: change })
    expect(encode('the q499999 parcel')).toEqual([...tokenizer.encode('the'), 499_999, ...tokenizer.encode('parcel')])
  })

  it('is refused where the file describes another kind, naming it', async () => {
    const files = openFolder(FOLDER)
    const change = async (name: string) => (await files.readText(name))?.replace('"WordPiece"', '"Unigram"')
    const other: ModelFiles = { ...files, readText: change }
    await expect(loadWordPieceTokenizer(other)).rejects.toThrow('a WordPiece tokenizer')
  })

  it('is refused where control characters are to stay in texts, naming the field', async () => {
    const files = openFolder(FOLDER)
    const change = async (name: string) => {
      const file = JSON.parse((await files.readText(name))!) as { normalizer: object }
      return JSON.stringify({ ...file, normalizer: { ...file.normalizer, clean_text: false } })
    }
    await expect(loadWordPieceTokenizer({ ...files, readText: change })).rejects.toThrow('normalizer.clean_text')
  })
})
