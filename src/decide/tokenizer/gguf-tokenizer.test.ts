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
