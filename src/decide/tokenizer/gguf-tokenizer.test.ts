import { expect, it } from 'vitest'
import { readIntegers } from '../../../test/helpers/read-tensor.ts'
import { ggufFixture } from '../../models/gguf/test-support/fixture.ts'
import { openModel, readSafetensors } from '../../models/index.ts'
import { loadTokenizer } from './tokenizer.ts'

it.each([
  ['llama', 'llama.gguf'],
  ['qwen2', 'qwen2.gguf'],
  ['gemma3', 'gemma3.gguf'],
])('%s: the tokenizer of a GGUF file gives the ids that transformers gives', async (name, file) => {
  const tokenizer = await loadTokenizer(openModel(ggufFixture(file)))
  const expected = await readSafetensors(ggufFixture(`${name}.safetensors`))
  const texts = Object.entries(expected.metadata)
  expect(texts.length).toBe(5)
  for (const [key, text] of texts) expect(tokenizer.encode(text)).toEqual(readIntegers(expected, key))
  expect(tokenizer.encode('<|im_end|>').length).toBeGreaterThan(1)
})

it('SentencePiece begins a text with a blank, and what follows a control token, where a GGUF file does not say otherwise', async () => {
  const { encodeTemplate } = await loadTokenizer(openModel(ggufFixture('llama2.gguf')))
  // By llama.cpp, as node-llama-cpp 3.22.1 carries it.
  const ids = [
    ['  two  spaces\n', [274, 259, 310, 302, 287, 273, 303, 288, 290, 282, 13]],
    ['café 🙂', [287, 290, 288, 293, 198, 172, 287, 243, 162, 156, 133]],
    ['', []],
    ['the</s> the', [267, 2, 287, 267]],
    [
      '<s>[INST] and [/INST]</s></s>yes',
      [1, 287, 359, 322, 327, 332, 333, 360, 271, 287, 359, 361, 322, 327, 332, 333, 360, 2, 2, 277],
    ],
  ] as const
  expect(ids.map(([text]) => [text, encodeTemplate(text)])).toEqual(ids)
})
