import type { GgufFile } from './gguf-file.ts'
import { GgufMetadata } from './gguf-metadata.ts'
import { mergesByScore } from './merges-by-score.ts'
import { PRE_TOKENIZERS, writeStages } from './pre-tokenizers.ts'

/** Kinds of tokens, by their number in `tokenizer.ggml.token_type`. */
const CONTROL = 3
const USER_DEFINED = 4
/** Characters of a token of SentencePiece, which is cut at every place: in published models they have less than a hundred. */
const LONGEST_TOKEN = 1024

/** The `tokenizer.json` that the metadata of a GGUF model stands for. @throws ModelFormatError naming a key */
export function writeTokenizer(gguf: GgufFile): Record<string, unknown> {
  const read = new GgufMetadata(gguf, 'tokenizer.ggml.')
  const model = read.text('model')
  const tokens = read.texts('tokens')
  const kinds = read.numbers('token_type')
  if (kinds.length !== tokens.length)
    read.refuse('token_type', `${tokens.length} kinds of tokens`, String(kinds.length))
  const vocab: Record<string, number> = Object.create(null)
  const added: object[] = []
  for (const [id, content] of tokens.entries()) {
    const isControl = kinds[id] === CONTROL
    if (isControl || kinds[id] === USER_DEFINED) added.push({ id, content, special: isControl, normalized: false })
    if (isControl) continue
    if (content in vocab) read.refuse('tokens', 'each token once', `token ${id} as token ${vocab[content]} is`)
    vocab[content] = id
  }
  const named = {
    version: '1.0',
    decoder: null,
    post_processor: null,
    added_tokens: added.filter((token) => 'content' in token && token.content !== ''),
  }
  if (model === 'gpt2') return { ...named, ...writeBytePairs(read, vocab) }
  if (model === 'llama') return { ...named, ...writeSentencePiece(read, vocab, tokens) }
  return read.refuse('model', 'gpt2 or llama', model.slice(0, 100))
}

function writeBytePairs(read: GgufMetadata, vocab: object) {
  const pre = read.optionalText('pre') ?? 'none'
  const cutting = PRE_TOKENIZERS.get(pre)
  if (cutting === undefined) read.refuse('pre', `one of ${[...PRE_TOKENIZERS.keys()].join(', ')}`, pre.slice(0, 100))
  if (read.optionalFlag('add_space_prefix')) read.refuse('add_space_prefix', 'false', 'true')
  const merges = read.texts('merges')
  return { ...writeStages(cutting), model: { type: 'BPE', vocab, merges, ignore_merges: cutting.wholeWords ?? false } }
}

/** SentencePiece's kind of byte pairs, in which spaces are letters and the token of highest score is made first. */
function writeSentencePiece(read: GgufMetadata, vocab: Readonly<Record<string, number>>, tokens: readonly string[]) {
  if (read.optionalFlag('remove_extra_whitespaces')) read.refuse('remove_extra_whitespaces', 'false', 'true')
  const scores = read.numbers('scores')
  if (scores.length !== tokens.length) read.refuse('scores', `${tokens.length} of them`, String(scores.length))
  const long = tokens.findIndex(({ length }) => length > LONGEST_TOKEN)
  if (long >= 0) {
    const got = `token ${long} of ${tokens[long]!.length} characters`
    read.refuse('tokens', `tokens of at most ${LONGEST_TOKEN} characters`, got)
  }
  const merges = mergesByScore(vocab, scores)
  // llama.cpp begins every text with a space, also what follows a control token, where the file does not say otherwise.
  const begins = read.optionalFlag('add_space_prefix') ?? true
  const replace = { type: 'Replace', pattern: { String: ' ' }, content: '▁' }
  return {
    normalizer: begins ? { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: '▁' }, replace] } : replace,
    pre_tokenizer: null,
    model: {
      type: 'BPE',
      vocab,
      merges,
      byte_fallback: '<0x00>' in vocab,
      unk_token: readToken(read, 'unknown_token_id', tokens) ?? null,
    },
  }
}

/** The `tokenizer_config.json`: the chat template, the tokens that it names, and whether one of them begins texts. */
export function writeTokenizerConfig(gguf: GgufFile): Record<string, unknown> {
  const read = new GgufMetadata(gguf, 'tokenizer.')
  const tokens = read.texts('ggml.tokens')
  const token = (kind: string) => readToken(read, `ggml.${kind}_token_id`, tokens)
  const bos = token('bos')
  const padding = read.optionalNumber('ggml.padding_token_id')
  return {
    chat_template: read.optionalText('chat_template'),
    add_bos_token: read.optionalFlag('ggml.add_bos_token') ?? (bos !== undefined && beginsTexts(read)),
    bos_token: bos,
    eos_token: token('eos'),
    unk_token: token('unknown'),
    // Files of 2023 have numbers here that are no tokens', and nothing but a chat template ever reads it.
    pad_token: padding === undefined ? undefined : tokens[padding],
  }
}

/** Whether llama.cpp begins texts with a token where a file does not say. */
function beginsTexts(read: GgufMetadata): boolean {
  if (read.text('ggml.model') === 'llama') return true
  return PRE_TOKENIZERS.get(read.optionalText('ggml.pre') ?? '')?.begins ?? false
}

/** The token whose id a key has, where there is one. */
function readToken(read: GgufMetadata, key: string, tokens: readonly string[]): string | undefined {
  const id = read.optionalNumber(key)
  if (id === undefined) return undefined
  return tokens[id] ?? read.refuse(key, `an id below ${tokens.length}`, String(id))
}
