import { describe, expect, it } from 'vitest'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { loadTokenizer } from './tokenizer.ts'

describe('an added token that is no special one, where all of them are found in texts,', () => {
  const withToken = async (flags: object, normalizer: object = { type: 'NFC' }) => {
    const added = { id: 300, content: 'covid', special: false, normalized: false, ...flags }
    const model = { type: 'BPE', vocab: { c: 0, o: 1, v: 2, i: 3, d: 4, x: 5 }, merges: [] }
    const file = JSON.stringify({ added_tokens: [added], normalizer, pre_tokenizer: null, model })
    const files: ModelFiles = { ...openFolder('/none'), readText: async () => file }
    return loadTokenizer(files, { ordinary: true })
  }

  it.each(['lstrip', 'rstrip', 'single_word'])('is refused with %s, by which it is found elsewhere', async (flag) => {
    await expect(withToken({ [flag]: true })).rejects.toThrow(`${flag} false in the added token covid`)
  })

  it('is refused where it would be found in capitals too', async () => {
    const lowers = { type: 'Lowercase' }
    await expect(withToken({ normalized: true }, lowers)).rejects.toThrow('normalized false in the added token covid')
    await expect(withToken({ normalized: true, content: '|||' }, lowers)).resolves.toBeDefined()
    const { encode } = await withToken({}, lowers)
    expect(encode('xcovidCOVID')).toContain(300)
  })

  it('is found in texts without any of these', async () => {
    const { encode } = await withToken({ normalized: true })
    expect(encode('covid')).toEqual([300])
  })
})
