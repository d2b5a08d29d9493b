import { Tokenizer } from '@huggingface/tokenizers'
import * as z from 'zod'
import { InvalidRequestError, ModelFormatError } from '../../errors/index.ts'
import { type ChatTemplate, readChatTemplate } from '../../models/chat-template.ts'
import { readConfig } from '../../models/configs/read-config.ts'
import { tokenName } from '../../models/configs/token-name.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { readTokenizerFile } from '../../models/read-tokenizer-file.ts'

/** The field of the request, or the option of the call, that a text comes from. */
export type PromptField = 'prompt' | 'negativePrompt'

export interface PromptTokenizer {
  /**
   * Ids of a prompt as the one turn of a chat.
   *
   * @throws InvalidRequestError naming `field` when there are more than `maxTokens`; the reference would cut them off
   */
  encode(prompt: string, field?: PromptField): number[]
  /** Id that fills a sequence up. */
  readonly padding: number
}

export interface PromptFormat {
  /** Whether an empty think block follows, which is how Qwen3 is told not to think. */
  readonly emptyThinkBlock: boolean
  readonly maxTokens: number
  /** Whether prompts are filled up with padding, which stands behind them. */
  readonly pad: boolean
}

const tokenizerSchema = z.looseObject({
  added_tokens: z.array(
    z.looseObject({
      id: z.number().int().nonnegative(),
      content: z.string().min(1),
      // The library finds such tokens inside of words too.
      single_word: z.literal(false).default(false),
    }),
  ),
  /** How texts were filled up last before it was saved; transformers goes on with it where nothing else is said. */
  padding: z.looseObject({ direction: z.enum(['Left', 'Right']) }).nullish(),
  // Checking every entry would cost more than loading does.
  model: z.looseObject({
    dropout: z.null().optional(),
    vocab: z.custom<Record<string, number>>((value) => typeof value === 'object' && value !== null),
  }),
})
const tokens = z.union([z.array(tokenName), z.record(z.string(), tokenName)]).nullish()
const configSchema = z.looseObject({
  pad_token: tokenName,
  padding_side: z.enum(['left', 'right']).optional(),
  // Tokens that transformers adds where tokenizer.json does not have them.
  added_tokens_decoder: tokens,
  extra_special_tokens: tokens,
  additional_special_tokens: tokens,
  split_special_tokens: z.literal(false).default(false),
  // What these add is said by the post_processor; where the two differ, versions of transformers do.
  add_bos_token: z.literal(false).default(false),
  add_eos_token: z.literal(false).default(false),
})

/**
 * Reads `tokenizer.json` and `tokenizer_config.json` of a Qwen3 text encoder. Structural tokens that stand in a prompt
 * are read as such, as in the reference: a prompt has nobody to deceive but the one who wrote it.
 *
 * @throws ModelFormatError when a file is missing or not a tokenizer
 */
export async function loadPromptTokenizer(
  files: ModelFiles,
  format: PromptFormat,
  vocabulary: number,
): Promise<PromptTokenizer> {
  const json = await readTokenizerFile(files, tokenizerSchema, 'a tokenizer.json')
  const config = await readConfig(
    files,
    'tokenizer_config.json',
    configSchema,
    'a tokenizer_config.json with a pad_token',
  )
  const padding = findTokens(json, config, `${files.location}/tokenizer.json`)
  const { padding_side: side = json.padding?.direction.toLowerCase() } = config
  if (format.pad && side === 'left') {
    throw new ModelFormatError(`${files.location}/tokenizer_config.json`, 'padding_side right', 'left')
  }
  checkIds(json, `${files.location}/tokenizer.json`, vocabulary)
  const template = await readChatTemplate(files)
  const tokenizer = new Tokenizer(json, config)
  const longest = longestToken(json.model.vocab)
  return {
    padding,
    encode(prompt, field = 'prompt') {
      // This is checked before the work: splitting a text may take time with the square of its length.
      const most = format.maxTokens * longest
      if (prompt.length > most) {
        throw new InvalidRequestError(
          field,
          `the model reads at most ${format.maxTokens} tokens with its template, got more than ${most} characters`,
        )
      }
      const { ids } = tokenizer.encode(renderTurn(prompt, format, template))
      // Its cache would keep pieces of the prompt.
      ;(tokenizer.model as { clear_cache?: () => void } | null)?.clear_cache?.()
      if (ids.length <= format.maxTokens) return ids
      const reason = `the model reads at most ${format.maxTokens} tokens with its template, got ${ids.length}`
      throw new InvalidRequestError(field, reason)
    },
  }
}

/**
 * @returns the id that fills a sequence up
 * @throws ModelFormatError for a token that the configuration names and `tokenizer.json` does not add
 */
function findTokens(
  { added_tokens: added }: z.infer<typeof tokenizerSchema>,
  config: z.infer<typeof configSchema>,
  file: string,
): number {
  const ids = new Map(added.map(({ content, id }) => [content, id]))
  const lists = [config.added_tokens_decoder, config.extra_special_tokens, config.additional_special_tokens]
  const named = [config.pad_token, ...lists.flatMap((list) => Object.values(list ?? {}))]
  const missing = named.find((name) => !ids.has(name))
  if (missing === undefined) return ids.get(config.pad_token)!
  throw new ModelFormatError(file, `the added token ${missing.slice(0, 100)}`, 'none of that name')
}

/** Characters of the longest token, of which none stands for more in a text. */
function longestToken(vocabulary: Readonly<Record<string, number>>): number {
  let longest = 1
  for (const token in vocabulary) longest = Math.max(longest, token.length)
  return longest
}

/** @throws ModelFormatError for an id that is no row of the model's embeddings */
function checkIds({ added_tokens: added, model }: z.infer<typeof tokenizerSchema>, file: string, rows: number): void {
  const fits = (id: unknown) => Number.isSafeInteger(id) && (id as number) >= 0 && (id as number) < rows
  const foreign = added.find(({ id }) => !fits(id))?.content
  let token = foreign
  for (const name in model.vocab) if (!fits(model.vocab[name])) token ??= name
  if (token === undefined) return
  const expected = `ids below ${rows}, as many as the text encoder has embeddings`
  throw new ModelFormatError(file, expected, `another for ${JSON.stringify(token.slice(0, 100))}`)
}

/** A prompt as the one turn of a chat, in Qwen3's own template where the checkpoint has none. */
function renderTurn(prompt: string, { emptyThinkBlock }: PromptFormat, template: ChatTemplate | undefined): string {
  if (template !== undefined) return template.render([{ role: 'user', content: prompt }], !emptyThinkBlock)
  const answer = emptyThinkBlock ? '<think>\n\n</think>\n\n' : ''
  return `<|im_start|>user\n${prompt}<|im_end|>\n<|im_start|>assistant\n${answer}`
}
