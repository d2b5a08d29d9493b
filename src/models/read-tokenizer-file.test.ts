import { expect, it } from 'vitest'
import * as z from 'zod'
import { openFolder } from './files/model-folder.ts'
import { readTokenizerFile } from './read-tokenizer-file.ts'

const schema = z.looseObject({ model: z.looseObject({}) })
const read = (texts: Readonly<Record<string, string>>) =>
  readTokenizerFile({ ...openFolder('/m'), readText: async (name) => texts[name] }, schema, 'a WordPiece tokenizer')

it('a vocabulary alone is refused with what makes a tokenizer.json of it', async () => {
  await expect(read({ 'vocab.txt': '[PAD]\n[UNK]\n' })).rejects.toMatchObject({
    code: 'model_format',
    file: '/m/tokenizer.json',
    expected: 'a WordPiece tokenizer',
    got: expect.stringMatching(/^no such file; .*save_pretrained.* makes it of vocab\.txt/),
  })
})

it('the file is read, and refused where it holds something else', async () => {
  expect(await read({ 'tokenizer.json': '{"model":{"type":"WordPiece"}}' })).toEqual({ model: { type: 'WordPiece' } })
  await expect(read({ 'tokenizer.json': '{"model":7}' })).rejects.toMatchObject({ got: 'model: 7, not an object' })
})
