import { expect, it } from 'vitest'
import * as z from 'zod'
import { readConfig } from '../configs/read-config.ts'
import { readGguf } from '../gguf/gguf-file.ts'
import { folderOf } from '../gguf/test-support/fixture.ts'
import { indexWeights } from './index-weights.ts'

const POINTER = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 1234567\n'
const bytes = new TextEncoder().encode(POINTER)

it('what git left in place of a file is named, with how the file comes, in every format', async () => {
  const files = { ...folderOf({ 'model.safetensors': bytes, 'm.gguf': bytes }), readText: async () => POINTER }
  const said = /Git LFS, for which `git lfs pull` fetches/
  await expect(indexWeights(files)).rejects.toThrow(said)
  await expect(readGguf(files, 'm.gguf')).rejects.toThrow(said)
  await expect(readConfig(files, 'tokenizer.json', z.unknown(), 'a tokenizer')).rejects.toThrow(said)
})
