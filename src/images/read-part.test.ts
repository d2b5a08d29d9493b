import { expect, it } from 'vitest'
import type { ModelFiles } from '../models/model-files.ts'
import { zImageConfigSchema } from '../models/z-image-config.ts'
import { readPart } from './read-part.ts'

it('a part that another library quantised is refused by the name of the method', async () => {
  const text = JSON.stringify({ quantization_config: { quant_method: 'torchao' } })
  const files = { location: 'x', readText: async () => text } as unknown as ModelFiles
  await expect(readPart(files, zImageConfigSchema, 'a transformer')).rejects.toThrow('weights quantised by torchao')
})
