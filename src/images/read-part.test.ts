import { expect, it } from 'vitest'
import { zImageConfigSchema } from '../models/configs/z-image-config.ts'
import type { ModelFiles } from '../models/files/model-files.ts'
import { readPart } from './read-part.ts'

it('a part that another library quantised is refused by the name of the method', async () => {
  const text = JSON.stringify({ quantization_config: { quant_method: 'torchao' } })
  const files = { location: 'x', readText: async () => text } as unknown as ModelFiles
  await expect(readPart(files, zImageConfigSchema, 'a transformer')).rejects.toThrow('weights quantised by torchao')
})
