import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The structural tokens that the chat template needs. */
const CHAT_TOKENS = ['<|im_start|>', '<|im_end|>', '<think>', '</think>']

export interface ExtendedTokenizer {
  /** The file. */
  readonly tokenizer: string
  readonly vocabulary: number
}

interface TokenizerFile {
  added_tokens: { id: number; content: string }[]
  model: { vocab: Record<string, number> }
}

/** The `tokenizer.json` of a bundle with the tokens of the chat template added, and how many tokens it has then. */
export function readChatTokenizer(bundle: string): Promise<ExtendedTokenizer> {
  return extendTokenizer(bundle, CHAT_TOKENS)
}

/** The `tokenizer.json` of a bundle with such tokens behind its own. */
export async function extendTokenizer(bundle: string, tokens: readonly string[]): Promise<ExtendedTokenizer> {
  const tokenizer = JSON.parse(await readFile(join(bundle, 'tokenizer.json'), 'utf8')) as TokenizerFile
  const known = [...Object.values(tokenizer.model.vocab), ...tokenizer.added_tokens.map(({ id }) => id)]
  const first = known.reduce((most, id) => Math.max(most, id), 0) + 1
  const added = tokens.map((content, index) => ({ id: first + index, content, special: true }))
  const extended = { ...tokenizer, added_tokens: [...tokenizer.added_tokens, ...added] }
  return { tokenizer: JSON.stringify(extended), vocabulary: first + added.length }
}
