import { Tokenizer as HubTokenizer } from '@huggingface/tokenizers'
import * as z from 'zod'
import { ModelFormatError } from '../../errors/index.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { readTokenizerFile } from '../../models/read-tokenizer-file.ts'
import { createLookup, requireEmbedding } from './lookup.ts'
import { rememberWords } from './remember-words.ts'
import { normalizeInPieces, type Tokenizer, type TokenizerOptions } from './tokenizer.ts'

/** The vocabulary is only told apart here: checking every entry would cost more than loading does. */
const fileSchema = z.looseObject({
  added_tokens: z.array(z.looseObject({ id: z.number().int(), content: z.string() })).default([]),
  normalizer: z.looseObject({
    type: z.literal('BertNormalizer'),
    clean_text: z.literal(true).default(true),
    lowercase: z.boolean(),
    handle_chinese_chars: z.boolean().default(true),
  }),
  pre_tokenizer: z.looseObject({ type: z.literal('BertPreTokenizer') }),
  model: z.object({
    type: z.literal('WordPiece'),
    vocab: z.custom<Record<string, number>>((value) => typeof value === 'object' && value !== null),
    unk_token: z.string(),
    continuing_subword_prefix: z.string(),
    max_input_chars_per_word: z.number().int().positive(),
  }),
})

/**
 * Chinese characters beyond the BMP that are words of their own: the reference's ranges, which leave out U+2B820 to U+2B91F and what
 * came later.
 */
const CHINESE = /[\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu

type Model = z.infer<typeof fileSchema>['model']

/**
 * Reads `tokenizer.json` of the BERT family: WordPiece on words as BERT cuts them. The added tokens are taken out before, so that
 * `[SEP]` in a text is split at its brackets like any other text.
 *
 * @throws ModelFormatError when the file is missing, damaged or describes another kind of tokenizer
 */
export async function loadWordPieceTokenizer(
  files: ModelFiles,
  { vocabulary = Number.POSITIVE_INFINITY }: Pick<TokenizerOptions, 'vocabulary'> = {},
): Promise<Tokenizer> {
  const path = `${files.location}/tokenizer.json`
  const file = await readTokenizerFile(files, fileSchema, 'a WordPiece tokenizer')
  for (const [token, id] of Object.entries(file.model.vocab)) requireEmbedding(path, token, id, vocabulary)
  const structural = new Map(file.added_tokens.map(({ id, content }) => [content, id]))
  const { normalize, split } = loadStages(file)
  const { encodeWord, forget } = rememberWords(createWordPieces(path, file.model))
  function encode(text: string, most = Number.POSITIVE_INFINITY): number[] {
    const ids: number[] = []
    for (const word of split(normalize(text))) {
      for (const id of encodeWord(word)) ids.push(id)
      if (ids.length > most) break
    }
    return ids
  }
  return {
    encode,
    structural: createLookup(path, structural, vocabulary),
    forget,
  }
}

/** Not a closure beside those that stay, which would keep the whole file. */
function loadStages({ normalizer, pre_tokenizer }: z.infer<typeof fileSchema>) {
  const { lowercase: lowers, handle_chinese_chars: parts } = normalizer
  const model = { type: 'BPE', vocab: {}, merges: [] }
  const library = new HubTokenizer(
    { added_tokens: [], normalizer, pre_tokenizer, post_processor: null, decoder: null, model },
    {},
  )
  return {
    normalize(text: string): string {
      // The library looks for Chinese characters in halves of those beyond the BMP, and so finds none.
      const parted = parts ? text.replace(CHINESE, ' $& ') : text
      // The reference lowers each letter by itself; in JavaScript a capital sigma that ends a word becomes another letter.
      const begun = lowers ? parted.replaceAll('Σ', 'σ') : parted
      return normalizeInPieces(begun, (piece) => library.normalizer?.normalize(piece) ?? piece)
    },
    split: (text: string) => library.pre_tokenizer?.pre_tokenize([text]) ?? [text],
  }
}

/**
 * The longest piece of the vocabulary that a word begins with, then the longest that continues it, to its end; a word that
 * cannot be cut so, or is too long, is one unknown token.
 */
function createWordPieces(path: string, model: Model): (word: string) => number[] {
  const { unk_token: unknownToken, continuing_subword_prefix: prefix, max_input_chars_per_word: most } = model
  const ids = new Map(Object.entries(model.vocab))
  const unknown = ids.get(unknownToken)
  if (unknown === undefined) throw new ModelFormatError(path, `${unknownToken} in the vocabulary`, 'none of that name')
  let longest = 0
  // Not all as arguments of one call: they lie on the stack, which has no room for those of a large vocabulary.
  for (const token of ids.keys()) longest = Math.max(longest, token.length)
  return (word) => {
    // Characters, not halves of them, are counted and cut at.
    const characters = Array.from(word)
    if (characters.length > most) return [unknown]
    const pieces: number[] = []
    for (let start = 0; start < characters.length;) {
      let end = Math.min(characters.length, start + longest)
      let id: number | undefined
      for (; end > start; end--) {
        const piece = characters.slice(start, end).join('')
        id = ids.get(start === 0 ? piece : prefix + piece)
        if (id !== undefined) break
      }
      if (id === undefined) return [unknown]
      pieces.push(id)
      start = end
    }
    return pieces
  }
}
