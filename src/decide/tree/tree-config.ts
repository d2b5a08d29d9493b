import * as z from 'zod'
import { parseBertConfig, type BertConfig } from '../../models/configs/bert-config.ts'
import { readConfig } from '../../models/configs/read-config.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'

const layoutSchema = z.object({
  start_token: z.string(),
  end_token: z.string(),
  decide_token: z.string(),
  /** The words that the text of a question begins with. */
  words: z.object({ noul: z.string(), choice: z.string(), score: z.string() }),
  /** The lowest level of a score has row 1 of the table of levels, the highest this plus 1. */
  level_steps: z.number().int().positive(),
})

/** The layout of a tree's tokens; part of a bundle's `config.json`. */
export type TreeLayout = z.infer<typeof layoutSchema>

/** @throws ModelFormatError when `config.json` is missing or asks for what the graph doesn't do */
export async function readTreeConfig(files: ModelFiles): Promise<{ config: BertConfig; layout: TreeLayout }> {
  const schema = z.looseObject({ tree: layoutSchema })
  const json = await readConfig(files, 'config.json', schema, 'the configuration of a tree of questions on BERT')
  return { config: parseBertConfig(json, `${files.location}/config.json`), layout: json.tree }
}
