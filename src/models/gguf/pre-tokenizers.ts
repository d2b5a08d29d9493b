/** How texts are cut into words before their bytes are joined, under the names that `tokenizer.ggml.pre` has for it. */
interface Cutting {
  readonly normalizer?: object
  /** What words are; each digit is one of its own where `digits` says so. */
  readonly pattern: string
  readonly digits?: boolean
  /** Whether a word that is a token is never made of others. */
  readonly wholeWords?: boolean
  /** Whether llama.cpp begins texts with a token where a file does not say. */
  readonly begins?: boolean
}

export const GPT2: Cutting = {
  pattern: String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
}
const GPT2_DIGITS: Cutting = { ...GPT2, digits: true }
const LLAMA3: Cutting = { pattern: patternWithNumbers(String.raw`\p{N}{1,3}`), wholeWords: true, begins: true }
/** Of SmolLM3. */
const SMAUG: Cutting = { pattern: LLAMA3.pattern }
const QWEN2: Cutting = { pattern: patternWithNumbers(String.raw`\p{N}`), normalizer: { type: 'NFC' } }

function patternWithNumbers(numbers: string): string {
  const [short, rest] = [String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)`, String.raw`\s*[\r\n]+|\s+(?!\S)|\s+`]
  return String.raw`${short}|[^\r\n\p{L}\p{N}]?\p{L}+|${numbers}| ?[^\s\p{L}\p{N}]+[\r\n]*|${rest}`
}

export const PRE_TOKENIZERS: ReadonlyMap<string, Cutting> = new Map([
  ['gpt-2', GPT2],
  ['gpt2', GPT2],
  ['smollm', GPT2_DIGITS],
  ['starcoder', GPT2_DIGITS],
  ['refact', GPT2_DIGITS],
  ['llama-bpe', LLAMA3],
  ['llama3', LLAMA3],
  ['llama-v3', LLAMA3],
  ['smaug-bpe', SMAUG],
  ['qwen2', QWEN2],
  ['deepseek-r1-qwen', QWEN2],
])

/** The stages of a `tokenizer.json` that cut so and write bytes as characters. */
export function writeStages({ normalizer, pattern, digits }: Cutting) {
  const split = { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false }
  const spell = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false }
  const pretokenizers = [...(digits ? [{ type: 'Digits', individual_digits: true }] : []), split, spell]
  return { normalizer: normalizer ?? null, pre_tokenizer: { type: 'Sequence', pretokenizers } }
}
