import { Tokenizer as HubTokenizer } from '@huggingface/tokenizers'
import * as z from 'zod'
import { ModelFormatError } from '../../errors/index.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { readTokenizerFile } from '../../models/read-tokenizer-file.ts'
import { cutAtTokens, requirePlain, requireReadable } from './added-tokens.ts'
import { BytePairEncoder } from './byte-pair-encoder.ts'
import { isWritten } from './is-written.ts'
import { listStages } from './list-stages.ts'
import { createLookup, requireEmbedding } from './lookup.ts'
import type { Metaspace } from './pre-tokenizer-schema.ts'
import { rememberWords } from './remember-words.ts'
import { checkEntries, takePrefix, type TokenizerFile, tokenizerFileSchema } from './tokenizer-file.ts'

/** Text to token ids. User text can never produce a structural token; those are looked up by name instead. */
export interface Tokenizer {
  /**
   * Ids of plain text. `<|im_start|>` in it is eleven ordinary characters. For what may have `most` ids, it stops soon after
   * these: the rest need not be computed to know that there are too many.
   */
  encode(text: string, most?: number): number[]
  /** Id of a structural (added) token; throws ModelFormatError where the tokenizer has none of that name. */
  structural(token: string): number
  /** Forgets every piece of text seen, so that nothing of a request outlives its call. */
  forget(): void
}

/** A tokenizer of prompts that are rendered as text. */
export interface TemplateTokenizer extends Tokenizer {
  /**
   * Ids of a text of a template, in which structural tokens are read as such. Throws ModelFormatError for one that stands
   * for other ids depending on what is around it.
   */
  encodeTemplate(text: string): number[]
  /** Ids of a plain text that stands behind other text, as {@link encode} gives them: without the blank that some tokenizers put before a text. */
  encodeBehind(text: string, most?: number): number[]
  /** Ids of a plain text that stands behind a structural token, where some tokenizers put that blank and others do not. */
  encodeBehindToken(text: string): number[]
  /** How the file puts texts among special tokens. */
  readonly postProcessor: unknown
  /** The parts of a template's text before its first structural token and behind its last. */
  plainEnds(text: string): { readonly leading: string; readonly trailing: string }
}

/**
 * Pieces of a text that can be normalised apart. Putting a run of combining marks in order takes time with the square of its
 * length, so a run is cut after 256: a text with longer ones, which no language writes, may become other tokens there.
 */
const PIECE = /[^\p{M}]*\p{M}{0,256}/gu

export function normalizeInPieces(text: string, normalize: (piece: string) => string): string {
  return text.replace(PIECE, (piece) => normalize(piece))
}

export interface TokenizerOptions {
  /**
   * Whether added tokens that are not special are found in texts. @defaultValue false: of these only spaces, line breaks and
   * single characters, which no template is made of
   */
  readonly ordinary?: boolean
  /** Rows that the model's embeddings have, which ids are checked against. @defaultValue none are */
  readonly vocabulary?: number
}

/**
 * Reads `tokenizer.json` of a BPE tokenizer, as transformers publishes it. The added tokens are taken out
 * before the encoder is made: that is what makes prompt injection by structural tokens impossible, rather than escaping them.
 *
 * @throws ModelFormatError when the file is missing, damaged or describes another kind of tokenizer
 */
export async function loadTokenizer(
  files: ModelFiles,
  { ordinary = false, vocabulary }: TokenizerOptions = {},
): Promise<TemplateTokenizer> {
  const path = `${files.location}/tokenizer.json`
  const read = await readTokenizerFile(files, tokenizerFileSchema, 'a supported BPE tokenizer')
  const { prefix, file } = takePrefix(read, path)
  checkEntries(file, path, vocabulary)
  const structural = new Map(file.added_tokens.map(({ id, content }) => [content, id]))
  const cutTemplate = cutAtTokens(file.added_tokens)
  const { words, encodeWord, forget } = createWords(path, file, prefix)
  const found = file.added_tokens.filter((token) => !token.special && (ordinary || isWritten(token, prefix)))
  requireReadable(found, file.normalizer, { path, vocabulary })
  const cut = cutAtTokens(found)
  function encodePieces(text: string, most: number, place: Place): number[] {
    const ids: number[] = []
    for (const [index, piece] of cut(text).entries()) {
      // Every second piece is an added token.
      if (index % 2 === 1) ids.push(structural.get(piece)!)
      else if (piece !== '')
        for (const word of words(piece, index === 0 ? place : 'token')) {
          for (const id of encodeWord(word)) ids.push(id)
          if (ids.length > most) return ids
        }
    }
    return ids
  }
  const encode = (text: string, most = Number.POSITIVE_INFINITY) => encodePieces(text, most, 'start')
  const encodeBehind = (text: string, most = Number.POSITIVE_INFINITY) => encodePieces(text, most, 'text')
  const encodeBehindToken = (text: string) => encodePieces(text, Number.POSITIVE_INFINITY, 'token')
  return {
    encode,
    encodeBehind,
    encodeBehindToken,
    structural: createLookup(path, structural, vocabulary),
    postProcessor: file['post_processor'],
    plainEnds(text) {
      const pieces = cutTemplate(text)
      return { leading: pieces[0]!, trailing: pieces.at(-1)! }
    },
    encodeTemplate(text) {
      const id = (token: string) => readStructural(file, path, token, vocabulary)
      return cutTemplate(text).flatMap((piece, index) => {
        if (index % 2 === 1) return [id(piece)]
        return index === 0 ? encode(piece) : encodeBehindToken(piece)
      })
    },
    forget,
  }
}

/** What a piece of text stands behind: nothing, an added token, or other text. */
type Place = 'start' | 'token' | 'text'

/** Cuts texts into words, and words into ids, of which it remembers short ones. A text has `prefix` before it unless it stands behind another. */
function createWords(path: string, file: TokenizerFile, prefix: string) {
  const pairs = createEncoder(path, file.model)
  const { normalize, split, spell, forgetSpelling } = createSplitter(path, file)
  const { encodeWord, forget } = rememberWords((word) => {
    const parts = spell(word)
    return parts.length === 1 ? pairs.encode(parts[0]!) : parts.flatMap((bytes) => pairs.encode(bytes))
  })
  const isOnce = file.pre_tokenizer?.type === 'Metaspace' && file.pre_tokenizer.prepend_scheme === 'first'
  return {
    words(text: string, place: Place) {
      const isBehind = place === 'text' || (place === 'token' && isOnce)
      return split(normalize(isBehind ? text : prefix + text), isBehind)
    },
    encodeWord,
    forget() {
      forget()
      forgetSpelling()
    },
  }
}

/** Id of a token in a template, where it stands for the same whatever is around it. */
function readStructural(
  file: TokenizerFile,
  path: string,
  token: string,
  vocabulary = Number.POSITIVE_INFINITY,
): number {
  const found = file.added_tokens.find(({ content }) => content === token)!
  requirePlain(found, path)
  requireEmbedding(path, token, found.id, vocabulary)
  return found.id
}

/**
 * The stages before BPE, by the library; its own BPE joins texts and looks every pair up as JSON, which takes most of its
 * time. `spell`, the last splitter, writes bytes as characters: by far the slowest of them, so it is asked once a character.
 */
function createSplitter(path: string, file: TokenizerFile) {
  const { pre_tokenizer: all } = file
  if (all?.type === 'Metaspace') return createBlankSplitter(path, file, all)
  const stages = all ? listStages(all) : []
  const first = loadStages(path, file, { type: 'Sequence', pretokenizers: stages.slice(0, -1) })
  const last = loadStages(path, file, stages.at(-1) ?? null)
  const spellWord = (word: string) => last.pre_tokenizer?.pre_tokenize(word) ?? [word]
  const spellCharacter = (character: string) => spellWord(character).join('')
  // Nearly all that is written, and the same for every text, so none of these is forgotten.
  const ascii = Array.from({ length: 128 }, (_, code) => spellCharacter(String.fromCharCode(code)))
  const spelling = new Map<string, string>()
  function spellCharacters(word: string): string[] {
    let spelt = ''
    for (const character of word) {
      let bytes = ascii[character.charCodeAt(0)] ?? spelling.get(character)
      if (bytes === undefined) spelling.set(character, (bytes = spellCharacter(character)))
      spelt += bytes
    }
    return [spelt]
  }
  return {
    normalize: (text: string) => normalizeInPieces(text, (piece) => first.normalizer?.normalize(piece) ?? piece),
    split: (text: string) => first.pre_tokenizer?.pre_tokenize([text]) ?? [text],
    spell: spellsBytes(stages.at(-1)) ? spellCharacters : spellWord,
    forgetSpelling: () => spelling.clear(),
  }
}

/** Writes blanks as `blank`, of which a text may begin with one too unless it stands behind another, and cuts before each where words are. */
function createBlankSplitter(
  path: string,
  file: TokenizerFile,
  { replacement: blank, split: cut, prepend_scheme: when }: Metaspace,
) {
  const { normalizer } = loadStages(path, file, null)
  return {
    normalize: (text: string) => normalizeInPieces(text, (piece) => normalizer?.normalize(piece) ?? piece),
    split(text: string, isBehind: boolean): string[] {
      const written = text.replaceAll(' ', blank)
      if (written === '') return []
      const whole = isBehind || when === 'never' || written.startsWith(blank) ? written : blank + written
      if (!cut) return [whole]
      const [first = '', ...words] = whole.split(blank)
      const behind = words.map((word) => blank + word)
      return first === '' ? behind : [first, ...behind]
    },
    spell: (word: string) => [word],
    forgetSpelling: () => {},
  }
}

/** Whether a stage writes bytes as characters and does nothing else, so that it treats a character alike wherever it stands. */
function spellsBytes(stage: unknown): boolean {
  const { data } = z
    .object({ type: z.literal('ByteLevel'), use_regex: z.literal(false), add_prefix_space: z.literal(false) })
    .safeParse(stage)
  return data !== undefined
}

/** Not a closure beside those that stay, which would keep the whole file, as many objects as there are rules. */
function loadStages(path: string, file: object, stages: unknown): HubTokenizer {
  const unused = { added_tokens: [], decoder: null, post_processor: null }
  const model = { type: 'BPE', vocab: {}, merges: [] }
  try {
    return new HubTokenizer({ ...file, ...unused, model, pre_tokenizer: stages }, {})
  } catch (cause) {
    const got = String(cause).slice(0, 300)
    throw new ModelFormatError(path, 'a normalizer and a pre_tokenizer that JavaScript reads', got, { cause })
  }
}

function createEncoder(
  path: string,
  { vocab, merges, ignore_merges, byte_fallback, unk_token, fuse_unk }: TokenizerFile['model'],
): BytePairEncoder {
  const pairs = merges.map((rule) => (typeof rule === 'string' ? (rule.split(' ', 2) as [string, string]) : rule))
  try {
    return new BytePairEncoder(vocab, pairs, {
      ignoreMerges: ignore_merges ?? false,
      byteFallback: byte_fallback ?? false,
      unknown: unk_token ?? undefined,
      fuseUnknown: fuse_unk ?? false,
    })
  } catch (cause) {
    throw new ModelFormatError(path, 'a vocabulary with the tokens of all merges', String(cause), { cause })
  }
}
