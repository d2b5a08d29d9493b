import type { LanguageModelConfig } from './language-model-config.ts'

/** A norm of a layer, and the matrices that read what it makes; nothing else does. */
export interface NormGroup {
  /** Name of the norm's weights. */
  readonly norm: string
  /** Names of the matrices. */
  readonly matrices: readonly string[]
}

/**
 * The groups of a layer. Norms of heads, norms behind attention and feed-forward, and the last norm of the model, whose matrix may be that
 * of the embeddings, are in none.
 *
 * @param prefix of the names of the checkpoint's tensors
 */
export function listNormGroups(
  { postNorms }: Pick<LanguageModelConfig, 'postNorms'>,
  prefix: string,
  layer: number,
): NormGroup[] {
  const at = `${prefix}layers.${layer}`
  const before = postNorms ? 'pre_feedforward_layernorm' : 'post_attention_layernorm'
  return [
    {
      norm: `${at}.input_layernorm.weight`,
      matrices: ['q', 'k', 'v'].map((name) => `${at}.self_attn.${name}_proj.weight`),
    },
    { norm: `${at}.${before}.weight`, matrices: ['gate', 'up'].map((name) => `${at}.mlp.${name}_proj.weight`) },
  ]
}
