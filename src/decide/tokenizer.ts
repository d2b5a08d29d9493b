import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Tokenizer as HubTokenizer } from '@huggingface/tokenizers'
import { ModelFormatError } from '../errors/index.ts'

/** Text to token ids. User text can never produce a structural token; those are looked up by name instead. */
export interface Tokenizer {
  /** Ids of plain text. `<|im_start|>` in it is eleven ordinary characters. */
  encode(text: string): number[]
  /** Id of a structural (added) token; throws ModelFormatError where the tokenizer has none of that name. */
  structural(token: string): number
  /** Id of a text that is exactly one ordinary token, or undefined. */
  single(text: string): number | undefined
  /** Forgets every piece of text seen, so that nothing of a request outlives its call. */
  forget(): void
}

interface TokenizerFile {
  added_tokens?: { id: number; content: string }[]
}

/**
 * Reads `tokenizer.json` as transformers publishes it. The added tokens are taken out before the encoder is made: that is
 * what makes prompt injection by structural tokens impossible, rather than escaping them.
 */
export async function loadTokenizer(folder: string): Promise<Tokenizer> {
  const path = join(folder, 'tokenizer.json')
  let file: TokenizerFile
  try {
    file = JSON.parse(await readFile(path, 'utf8')) as TokenizerFile
  } catch (cause) {
    throw new ModelFormatError(path, 'a tokenizer.json', String(cause), { cause })
  }
  const structural = new Map((file.added_tokens ?? []).map(({ id, content }) => [content, id]))
  const encoder = new HubTokenizer({ ...file, added_tokens: [] }, {})
  const encode = (text: string) => (text === '' ? [] : encoder.encode(text, { add_special_tokens: false }).ids)
  return {
    encode,
    structural(token) {
      const id = structural.get(token)
      if (id === undefined) throw new ModelFormatError(path, `the added token ${token}`, 'none of that name')
      return id
    },
    single(text) {
      const ids = encode(text)
      return ids.length === 1 ? ids[0] : undefined
    },
    forget() {
      const model = encoder.model as { clear_cache?: () => void } | null
      model?.clear_cache?.()
    },
  }
}
