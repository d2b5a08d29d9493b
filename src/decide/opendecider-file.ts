import * as z from 'zod'
import { readOptionalConfig } from '../models/configs/read-config.ts'
import type { ModelFiles } from '../models/files/model-files.ts'

const schema = z.looseObject({
  kind: z.enum(['nano', 'small']),
  name: z.string().optional(),
  max_len: z.number().int().positive().default(2048),
})

/** `opendecider.json`: what opendecider writes beside its encoder (`nano`) and beside language models (`small`). */
export type OpenDeciderFile = z.infer<typeof schema>

/** @throws ModelFormatError naming what is in it and not known, such as builds for another runtime */
export function readOpenDeciderFile(files: ModelFiles): Promise<OpenDeciderFile | undefined> {
  return readOptionalConfig(files, 'opendecider.json', schema, 'what opendecider writes beside a model')
}
