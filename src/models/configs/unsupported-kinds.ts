/** Kinds of models that nothing here computes, by the names of their classes or types, and what to take instead. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/qwen3_?(5|next)/i, 'a hybrid with linear attention: take a dense Qwen3'],
  [/moe|mixtral|deepseek|gpt_?oss|llama4/i, 'a mixture of experts: take a dense model'],
  [/gemma3n/i, 'Gemma 3n, whose layers have embeddings of their own: take a text model of Gemma 3'],
  [/ConditionalGeneration|vision|vl(_|For|$)/i, 'a model that reads pictures: take a text model'],
  [/^(Qwen|Llama|Gemma|Mistral)\w*ForSequenceClassification/, 'a classifier on a language model: take one that writes'],
]

/** What a kind that is known and not computed is, with what to do about it, in words. @param names as the checkpoint says them */
export function explainUnsupported(names: readonly string[]): string | undefined {
  return KINDS.find(([pattern]) => names.some((name) => pattern.test(name)))?.[1]
}
