import { Tokenizer as HubTokenizer } from '@huggingface/tokenizers'
import * as z from 'zod'
import { ModelFormatError } from '../../errors/index.ts'
import { readOptionalConfig } from '../../models/configs/read-config.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { readTokenizerFile } from '../../models/read-tokenizer-file.ts'
import { cutAtTokens, requirePlain } from './added-tokens.ts'
import { createLookup, requireEmbedding } from './lookup.ts'
import { rememberWords } from './remember-words.ts'
import { normalizeInPieces, type Tokenizer, type TokenizerOptions } from './tokenizer.ts'

/** The vocabulary is only told apart here: checking every entry would cost more than loading does. */
const fileSchema = z.looseObject({
  added_tokens: z.array(z.looseObject({ id: z.number().int(), content: z.string().min(1) })).default([]),
  normalizer: z.looseObject({
    type: z.literal('BertNormalizer'),
    clean_text: z.literal(true).default(true),
    lowercase: z.boolean(),
    strip_accents: z.boolean().nullish(),
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

type File = z.infer<typeof fileSchema>
type Model = File['model']

const settingsSchema = z.looseObject({
  tokenizer_class: z.string().nullish(),
  do_lower_case: z.boolean().optional(),
  strip_accents: z.boolean().nullable().optional(),
  tokenize_chinese_chars: z.boolean().optional(),
  model_input_names: z.array(z.string()).nullish(),
})

/** Fields of the normalizer. */
interface Normalizing {
  readonly lowercase?: boolean
  readonly strip_accents?: boolean | null
  readonly handle_chinese_chars?: boolean
}

/** What `tokenizer_config.json` says of a BERT, by which transformers asks it. */
interface BertSettings {
  /** What takes the place of what `tokenizer.json` says. */
  readonly normalizing: Normalizing
  /** Whether both texts of a pair are of the first segment. */
  readonly oneSegment: boolean
}

export async function readBertSettings(files: ModelFiles): Promise<BertSettings> {
  const read = await readOptionalConfig(files, 'tokenizer_config.json', settingsSchema, 'a tokenizer_config.json')
  const { tokenizer_class: name, model_input_names: inputs, ...fields } = read ?? {}
  const oneSegment = inputs ? !inputs.includes('token_type_ids') : false
  // Of these classes `tokenizer.json` alone is read.
  if (name === 'PreTrainedTokenizerFast' || name === 'TokenizersBackend') return { normalizing: {}, oneSegment }
  // Those of BERT make their normalizer anew, of what they have by default where nothing is said.
  const { do_lower_case: lowercase = true, strip_accents = null, tokenize_chinese_chars = true } = fields
  const normalizing = { lowercase, strip_accents, handle_chinese_chars: tokenize_chinese_chars }
  return { normalizing, oneSegment }
}

interface WordPieceOptions extends Pick<TokenizerOptions, 'vocabulary'> {
  readonly normalizing?: Normalizing
}

/**
 * Reads `tokenizer.json` of the BERT family: WordPiece on words as BERT cuts them. The special tokens are taken out before, so that
 * `[SEP]` in a text is split at its brackets like any other text; what else was added is found in texts.
 *
 * @param normalizing fields of the normalizer that take the place of the file's
 * @throws ModelFormatError when the file is missing, damaged or describes another kind of tokenizer
 */
export async function loadWordPieceTokenizer(
  files: ModelFiles,
  { vocabulary = Number.POSITIVE_INFINITY, normalizing = {} }: WordPieceOptions = {},
): Promise<Tokenizer> {
  const path = `${files.location}/tokenizer.json`
  const read = await readTokenizerFile(files, fileSchema, 'a WordPiece tokenizer')
  const file = { ...read, normalizer: { ...read.normalizer, ...normalizing } }
  for (const [token, id] of Object.entries(file.model.vocab)) requireEmbedding(path, token, id, vocabulary)
  const structural = new Map(file.added_tokens.map(({ id, content }) => [content, id]))
  const { normalize, split } = loadStages(file)
  const { encodeWord, forget } = rememberWords(createWordPieces(path, file.model))
  const pieces = findAdded(file, normalize, { path, vocabulary })
  function encode(text: string, most = Number.POSITIVE_INFINITY): number[] {
    const ids: number[] = []
    for (const piece of pieces(text)) {
      if (typeof piece === 'number') ids.push(piece)
      else
        for (const word of split(piece)) {
          for (const id of encodeWord(word)) ids.push(id)
          if (ids.length > most) return ids
        }
    }
    return ids
  }
  return {
    encode,
    structural: createLookup(path, structural, vocabulary),
    forget,
  }
}

/**
 * Cuts texts at added tokens that are not special: ids of these, and normalised text between them. As the reference does, tokens are looked for
 * in texts as they are written, then those that are `normalized` in what was normalised.
 */
function findAdded(
  { added_tokens: added }: File,
  normalize: (text: string) => string,
  { path, vocabulary }: { readonly path: string; readonly vocabulary: number },
): (text: string) => (string | number)[] {
  const found = added.filter((token) => !token['special'])
  for (const token of found) {
    requirePlain(token, path)
    requireEmbedding(path, token.content, token.id, vocabulary)
  }
  const [written, normalized] = [false, true].map((wanted) => {
    const spell = wanted ? normalize : (text: string) => text
    const tokens = found.filter((token) => (token['normalized'] === true) === wanted)
    const ids = new Map(tokens.map(({ id, content }) => [spell(content), id]))
    const cut = cutAtTokens([...ids.keys()].filter(Boolean).map((content) => ({ content })))
    return (text: string) => cut(text).map((piece, index) => (index % 2 === 1 ? ids.get(piece)! : piece))
  }) as [(text: string) => (string | number)[], (text: string) => (string | number)[]]
  return (text) => written(text).flatMap((piece) => (typeof piece === 'number' ? piece : normalized(normalize(piece))))
}

/** Not a closure beside those that stay, which would keep the whole file. */
function loadStages({ normalizer, pre_tokenizer }: Pick<File, 'normalizer' | 'pre_tokenizer'>) {
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
