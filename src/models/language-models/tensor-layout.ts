import { ModelFormatError } from '../../errors/index.ts'
import type { WeightIndex } from '../weights/weight-index.ts'
import type { LanguageModelConfig } from './language-model-config.ts'

/** The prefix of the names of a checkpoint's tensors: nothing in one of the bare model, without a head. */
export function tensorPrefix(weights: WeightIndex): '' | 'model.' {
  return weights.get('embed_tokens.weight') === undefined ? 'model.' : ''
}

/** Names and shapes of the tensors that a language model consists of, its head left out. */
function describeTensors(config: LanguageModelConfig, prefix: string): Map<string, readonly number[]> {
  const { hidden_size: hidden, intermediate_size: inner, head_dim: size, vocab_size: vocabulary } = config
  const width = config.num_attention_heads * size
  const shared = config.num_key_value_heads * size
  const layer: [string, readonly number[]][] = [
    ['input_layernorm.weight', [hidden]],
    ['self_attn.q_proj.weight', [width, hidden]],
    ['self_attn.k_proj.weight', [shared, hidden]],
    ['self_attn.v_proj.weight', [shared, hidden]],
    ['self_attn.o_proj.weight', [hidden, width]],
    ['post_attention_layernorm.weight', [hidden]],
    ['mlp.gate_proj.weight', [inner, hidden]],
    ['mlp.up_proj.weight', [inner, hidden]],
    ['mlp.down_proj.weight', [hidden, inner]],
  ]
  if (config.headNorms) layer.push(['self_attn.q_norm.weight', [size]], ['self_attn.k_norm.weight', [size]])
  if (config.projectionBiases) {
    layer.push(
      ['self_attn.q_proj.bias', [width]],
      ['self_attn.k_proj.bias', [shared]],
      ['self_attn.v_proj.bias', [shared]],
    )
  }
  if (config.postNorms) {
    layer.push(['pre_feedforward_layernorm.weight', [hidden]], ['post_feedforward_layernorm.weight', [hidden]])
  }
  const tensors = new Map([[`${prefix}embed_tokens.weight`, [vocabulary, hidden] as readonly number[]]])
  for (let i = 0; i < config.num_hidden_layers; i++) {
    for (const [name, shape] of layer) tensors.set(`${prefix}layers.${i}.${name}`, shape)
  }
  return tensors.set(`${prefix}norm.weight`, [hidden])
}

/** Tensors that are read where they are there, or of which nothing depends on. */
const OPTIONAL = ['lm_head.weight']
/** Tables that old versions of transformers saved and every version makes anew. */
const MADE_ANEW = /\.rotary_emb\.inv_freq$/

/**
 * Checks a file against its configuration before anything is made from either.
 *
 * @throws ModelFormatError naming a tensor that is missing, has another shape, or has no part in this model and would change what it computes
 */
export function checkTensors(config: LanguageModelConfig, weights: WeightIndex): void {
  const tensors = describeTensors(config, tensorPrefix(weights))
  for (const [name, shape] of tensors) {
    const entry = weights.get(name)
    if (entry === undefined) {
      throw new ModelFormatError(weights.folder, `a tensor ${name}`, `${weights.names.length} others`)
    }
    // Quantised tensors keep their number of rows, and nothing else of their shape.
    const compared = weights.get(`${name}.scales`) === undefined ? shape.length : 1
    if (entry.shape.length >= compared && shape.slice(0, compared).every((dim, i) => dim === entry.shape[i])) continue
    const file = `${weights.folder}/${entry.file}`
    throw new ModelFormatError(file, `${name} of shape [${shape}]`, `[${entry.shape.slice(0, 8)}]`)
  }
  for (const name of weights.names) {
    const owner = name.replace(/\.(scales|offsets)$/, '')
    if (tensors.has(owner) || OPTIONAL.includes(owner) || MADE_ANEW.test(name)) continue
    const expected = `the tensors of ${config.num_hidden_layers} layers (num_hidden_layers) and no others`
    throw new ModelFormatError(`${weights.folder}/${weights.get(name)!.file}`, expected, name.slice(0, 200))
  }
}
