/**
 * Short names of published checkpoints of every family, and where their authors publish them. A name is all that is known of them here: what a
 * checkpoint is, its own files say.
 */
export const KNOWN_MODELS: ReadonlyMap<string, string> = new Map([
  ['laya', 'convaiinnovations/laya'],
  ['laya-multilingual', 'convaiinnovations/laya-multilingual'],
  ['laya-typed-decisions', 'convaiinnovations/laya-typed-decisions'],
  ['julia-1', 'SupersonicLabs/Julia-1'],
  ['opendecider-nano', 'manjunathshiva/opendecider-nano'],
  ['modernbert-nli', 'tasksource/ModernBERT-base-nli'],
  ['modernbert-zeroshot', 'MoritzLaurer/ModernBERT-base-zeroshot-v2.0'],
  ['qwen3-0.6b', 'Qwen/Qwen3-0.6B'],
  ['qwen3-1.7b', 'Qwen/Qwen3-1.7B'],
  ['qwen3-4b', 'Qwen/Qwen3-4B-Instruct-2507'],
  ['qwen2.5-0.5b', 'Qwen/Qwen2.5-0.5B-Instruct'],
  ['qwen2.5-1.5b', 'Qwen/Qwen2.5-1.5B-Instruct'],
  ['smollm2-135m', 'HuggingFaceTB/SmolLM2-135M-Instruct'],
  ['smollm2-1.7b', 'HuggingFaceTB/SmolLM2-1.7B-Instruct'],
  ['llama-3.2-1b', 'meta-llama/Llama-3.2-1B-Instruct'],
  ['gemma-3-270m', 'google/gemma-3-270m-it'],
  ['gemma-3-1b', 'google/gemma-3-1b-it'],
])

/** The hub id that a short name stands for; any other name as it is. */
export function expandName(model: string): string {
  return KNOWN_MODELS.get(model) ?? model
}
