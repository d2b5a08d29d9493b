import { Tokenizer as HubTokenizer } from '@huggingface/tokenizers'
import { z } from 'zod'
import { ModelFormatError } from '../../errors/index.ts'
import type { ModelFiles } from '../../models/model-files.ts'
import { readConfig } from '../../models/read-config.ts'
import { BytePairEncoder } from './byte-pair-encoder.ts'

/** Text to token ids. User text can never produce a structural token; those are looked up by name instead. */
export interface Tokenizer {
  /**
   * Ids of plain text. `<|im_start|>` in it is eleven ordinary characters. For what may have `most` ids, it stops soon after
   * these: the rest need not be computed to know that there are too many.
   */
  encode(text: string, most?: number): number[]
  /** Id of a structural (added) token; throws ModelFormatError where the tokenizer has none of that name. */
  structural(token: string): number
  /** Id of a text that is exactly one ordinary token, or undefined. */
  single(text: string): number | undefined
  /** Forgets every piece of text seen, so that nothing of a request outlives its call. */
  forget(): void
}

/**
 * Pieces of a text that can be normalised apart. Putting a run of combining marks in order takes time with the square of its
 * length, so a run is cut after 256: a text with longer ones, which no language writes, may become other tokens there.
 */
const PIECE = /[^\p{M}]*\p{M}{0,256}/gu

export function normalizeInPieces(text: string, normalize: (piece: string) => string): string {
  return text.replace(PIECE, (piece) => normalize(piece))
}

/** Words no longer than this are remembered until `forget`. */
const LONGEST_REMEMBERED = 64

/** Large parts are only told apart here: checking every entry would cost more than loading does. */
const fileSchema = z.looseObject({
  added_tokens: z
    .array(z.looseObject({ id: z.number().int(), content: z.string(), special: z.boolean().default(false) }))
    .default([]),
  pre_tokenizer: z.looseObject({ type: z.string(), pretokenizers: z.array(z.unknown()).optional() }).nullable(),
  model: z.object({
    type: z.literal('BPE'),
    vocab: z.custom<Record<string, number>>((value) => typeof value === 'object' && value !== null),
    // Older files join the two with a space.
    merges: z.custom<(string | [string, string])[]>(Array.isArray),
    dropout: z.null().optional(),
    continuing_subword_prefix: z.literal('').nullish(),
    end_of_word_suffix: z.literal('').nullish(),
    ignore_merges: z.literal(false).nullish(),
  }),
})

/**
 * Reads `tokenizer.json` as transformers publishes it for the Qwen3 family: byte-level BPE. The added tokens are taken out
 * before the encoder is made: that is what makes prompt injection by structural tokens impossible, rather than escaping them.
 *
 * @param options.ordinary whether added tokens that are not special, such as runs of spaces, are found in texts
 * @throws ModelFormatError when the file is missing, damaged or describes another kind of tokenizer
 */
export async function loadTokenizer(files: ModelFiles, { ordinary = false } = {}): Promise<Tokenizer> {
  const path = `${files.location}/tokenizer.json`
  const file = await readConfig(files, 'tokenizer.json', fileSchema, 'a byte-level BPE tokenizer')
  const structural = new Map(file.added_tokens.map(({ id, content }) => [content, id]))
  const pairs = createEncoder(path, file.model)
  const { normalize, split, spell, forgetSpelling } = createSplitter(file)
  const remembered = new Map<string, readonly number[]>()
  function encodeWord(word: string): readonly number[] {
    const known = remembered.get(word)
    if (known !== undefined) return known
    const parts = spell(word)
    const ids = parts.length === 1 ? pairs.encode(parts[0] as string) : parts.flatMap((bytes) => pairs.encode(bytes))
    if (word.length <= LONGEST_REMEMBERED) remembered.set(word, ids)
    return ids
  }
  const cut = ordinary ? cutAtTokens(file.added_tokens.filter(({ special }) => !special)) : (text: string) => [text]
  function encode(text: string, most = Number.POSITIVE_INFINITY): number[] {
    const ids: number[] = []
    for (const [index, piece] of cut(text).entries()) {
      // Every second piece is an added token.
      if (index % 2 === 1) ids.push(structural.get(piece) as number)
      else
        for (const word of split(normalize(piece))) {
          for (const id of encodeWord(word)) ids.push(id)
          if (ids.length > most) return ids
        }
    }
    return ids
  }
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
      remembered.clear()
      forgetSpelling()
    },
  }
}

/** Cuts a text at these tokens, the longest where several begin: text, token, text, and so on. */
function cutAtTokens(tokens: readonly { readonly content: string }[]): (text: string) => string[] {
  if (tokens.length === 0) return (text) => [text]
  const longestFirst = tokens.map(({ content }) => content).sort((a, b) => b.length - a.length)
  const escaped = longestFirst.map((content) => content.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const found = new RegExp(`(${escaped.join('|')})`)
  return (text) => text.split(found)
}

/**
 * The stages before BPE, by the library; its own BPE joins texts and looks every pair up as JSON, which takes most of its
 * time. `spell`, the last splitter, writes bytes as characters: by far the slowest of them, so it is asked once a character.
 */
function createSplitter(file: z.infer<typeof fileSchema>) {
  const { pre_tokenizer: all } = file
  const stages = all?.type === 'Sequence' ? (all.pretokenizers ?? []) : [all]
  const first = loadStages(file, { type: 'Sequence', pretokenizers: stages.slice(0, -1) })
  const last = loadStages(file, stages.at(-1) ?? null)
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

/** Whether a stage writes bytes as characters and does nothing else, so that it treats a character alike wherever it stands. */
function spellsBytes(stage: unknown): boolean {
  const { data } = z
    .object({ type: z.literal('ByteLevel'), use_regex: z.literal(false), add_prefix_space: z.literal(false) })
    .safeParse(stage)
  return data !== undefined
}

/** Not a closure beside those that stay, which would keep the whole file, as many objects as there are rules. */
function loadStages(file: object, stages: unknown): HubTokenizer {
  const model = { type: 'BPE', vocab: {}, merges: [] }
  return new HubTokenizer({ ...file, added_tokens: [], model, pre_tokenizer: stages }, {})
}

function createEncoder(path: string, { vocab, merges }: z.infer<typeof fileSchema>['model']): BytePairEncoder {
  const pairs = merges.map((rule) => (typeof rule === 'string' ? (rule.split(' ', 2) as [string, string]) : rule))
  try {
    return new BytePairEncoder(vocab, pairs)
  } catch (cause) {
    throw new ModelFormatError(path, 'a vocabulary with the tokens of all merges', String(cause), { cause })
  }
}
