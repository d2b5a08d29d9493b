import { Tokenizer } from '@huggingface/tokenizers'
import { z } from 'zod'
import { InvalidRequestError, ModelFormatError } from '../../errors/index.ts'
import type { ModelFiles } from '../../models/model-files.ts'
import { readConfig } from '../../models/read-config.ts'

export interface PromptTokenizer {
  /**
   * Ids of a prompt as the one turn of a chat.
   *
   * @throws InvalidRequestError when there are more than `maxTokens`; the reference would cut them off
   */
  encode(prompt: string): number[]
  /** Id that fills a sequence up. */
  readonly padding: number
}

export interface PromptFormat {
  /** Whether an empty think block follows, which is how Qwen3 is told not to think. */
  readonly emptyThinkBlock: boolean
  readonly maxTokens: number
}

const tokenizerSchema = z.looseObject({
  added_tokens: z.array(z.looseObject({ id: z.number().int(), content: z.string() })),
  // Checking every entry would cost more than loading does.
  model: z.looseObject({
    vocab: z.custom<Record<string, number>>((value) => typeof value === 'object' && value !== null),
  }),
})
const configSchema = z.looseObject({
  pad_token: z.union([z.string(), z.looseObject({ content: z.string() }).transform(({ content }) => content)]),
})

/**
 * Reads `tokenizer.json` and `tokenizer_config.json` of a Qwen3 text encoder. Structural tokens that stand in a prompt
 * are read as such, as in the reference: a prompt has nobody to deceive but the one who wrote it.
 *
 * @throws ModelFormatError when a file is missing or not a tokenizer
 */
export async function loadPromptTokenizer(files: ModelFiles, format: PromptFormat): Promise<PromptTokenizer> {
  const json = await readConfig(files, 'tokenizer.json', tokenizerSchema, 'a tokenizer.json')
  const config = await readConfig(
    files,
    'tokenizer_config.json',
    configSchema,
    'a tokenizer_config.json with a pad_token',
  )
  const padding = json.added_tokens.find(({ content }) => content === config.pad_token)?.id
  if (padding === undefined) {
    const file = `${files.location}/tokenizer.json`
    throw new ModelFormatError(file, `the added token ${config.pad_token}`, 'none of that name')
  }
  const tokenizer = new Tokenizer(json, config)
  const longest = longestToken(json.model.vocab)
  return {
    padding,
    encode(prompt) {
      // Before the work: splitting a text may take time with the square of its length.
      const most = format.maxTokens * longest
      if (prompt.length > most) {
        throw new InvalidRequestError(
          'prompt',
          `the model reads at most ${format.maxTokens} tokens with its template, got more than ${most} characters`,
        )
      }
      const { ids } = tokenizer.encode(renderTurn(prompt, format), { add_special_tokens: false })
      // Its cache would keep pieces of the prompt.
      ;(tokenizer.model as { clear_cache?: () => void } | null)?.clear_cache?.()
      if (ids.length <= format.maxTokens) return ids
      const reason = `the model reads at most ${format.maxTokens} tokens with its template, got ${ids.length}`
      throw new InvalidRequestError('prompt', reason)
    },
  }
}

/** Characters of the longest token, of which none stands for more in a text. */
function longestToken(vocabulary: Readonly<Record<string, number>>): number {
  let longest = 1
  for (const token in vocabulary) longest = Math.max(longest, token.length)
  return longest
}

/** Qwen3's chat template for a single user turn. */
function renderTurn(prompt: string, { emptyThinkBlock }: PromptFormat): string {
  const answer = emptyThinkBlock ? '<think>\n\n</think>\n\n' : ''
  return `<|im_start|>user\n${prompt}<|im_end|>\n<|im_start|>assistant\n${answer}`
}
