import * as z from 'zod'
import { ModelFormatError } from '../../errors/index.ts'
import { readChatTemplate } from '../../models/chat-template.ts'
import { readOptionalConfig } from '../../models/configs/read-config.ts'
import { tokenName } from '../../models/configs/token-name.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'

const configSchema = z.looseObject({
  add_bos_token: z.boolean().nullish(),
  bos_token: tokenName.nullish(),
})
const tokenizerSchema = z.looseObject({ post_processor: z.unknown() })
const sequenceSchema = z.looseObject({ type: z.literal('Sequence'), processors: z.array(z.unknown()) })
const templateSchema = z.looseObject({
  type: z.literal('TemplateProcessing'),
  single: z.tuple([z.object({ SpecialToken: z.object({ id: z.string() }) })], z.unknown()),
})

/**
 * The token that a language model reads before a prompt: models that were trained with one answer much worse without it. Undefined where
 * there is none, and where a chat template writes the prompt, which has it itself.
 *
 * @throws ModelFormatError where one is asked for and not named
 */
export async function readBegin(files: ModelFiles): Promise<string | undefined> {
  const { token, isOfTokenizer } = await readRule(files)
  if (!isOfTokenizer) return token
  const tokenizer = await readOptionalConfig(files, 'tokenizer.json', tokenizerSchema, 'a tokenizer.json')
  return findFirst(tokenizer?.post_processor)
}

/** How a prompt begins, in words, without reading `tokenizer.json`: of a large vocabulary that takes half a second. */
export async function nameBegin(files: ModelFiles): Promise<string | undefined> {
  const { token, isOfTokenizer } = await readRule(files)
  return isOfTokenizer ? 'what tokenizer.json puts first' : token
}

/** What configurations say of it, or that it is up to the tokenizer. */
async function readRule(files: ModelFiles): Promise<{ readonly token?: string; readonly isOfTokenizer?: boolean }> {
  if ((await readChatTemplate(files)) !== undefined) return {}
  const config = await readOptionalConfig(files, 'tokenizer_config.json', configSchema, 'a tokenizer_config.json')
  const isAdded = config?.add_bos_token ?? undefined
  if (isAdded === undefined) return { isOfTokenizer: true }
  if (!isAdded) return {}
  if (config?.bos_token != null) return { token: config.bos_token }
  throw new ModelFormatError(`${files.location}/tokenizer_config.json`, 'a bos_token beside add_bos_token', 'none')
}

/** The token that a `post_processor` puts before a text. */
function findFirst(processor: unknown): string | undefined {
  const steps = sequenceSchema.safeParse(processor).data?.processors ?? [processor]
  const templates = steps.map((step) => templateSchema.safeParse(step).data)
  return templates.find((template) => template !== undefined)?.single[0].SpecialToken.id
}
