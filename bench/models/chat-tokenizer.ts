import { readFile } from 'node:fs/promises'

/** The structural tokens that the chat template needs. */
const CHAT_TOKENS = ['<|im_start|>', '<|im_end|>', '<think>', '</think>']

/** Byte-level BPE of 24,576 tokens on English text, which decoders of this project were trained with. */
const FILE = 'bench/models/tokenizer.json'

export interface ExtendedTokenizer {
  /** The file. */
  readonly tokenizer: string
  readonly vocabulary: number
}

interface TokenizerFile {
  added_tokens: { id: number; content: string }[]
  model: { vocab: Record<string, number> }
}

/** That file with the tokens of the chat template added, and how many tokens it has then. */
export function readChatTokenizer(): Promise<ExtendedTokenizer> {
  return extendTokenizer(CHAT_TOKENS)
}

/** That file with such tokens behind its own. */
export async function extendTokenizer(tokens: readonly string[]): Promise<ExtendedTokenizer> {
  const tokenizer = JSON.parse(await readFile(FILE, 'utf8')) as TokenizerFile
  const known = [...Object.values(tokenizer.model.vocab), ...tokenizer.added_tokens.map(({ id }) => id)]
  const first = known.reduce((most, id) => Math.max(most, id), 0) + 1
  const added = tokens.map((content, index) => ({ id: first + index, content, special: true }))
  const extended = { ...tokenizer, added_tokens: [...tokenizer.added_tokens, ...added] }
  return { tokenizer: JSON.stringify(extended), vocabulary: first + added.length }
}
