/** Names under which libraries save weights, in one file or in shards with their index. */
export const USUAL_WEIGHTS: readonly string[] = ['model', 'diffusion_pytorch_model'].flatMap((stem) => [
  `${stem}.safetensors`,
  `${stem}.safetensors.index.json`,
])
/** The index of shards of a variant, such as `fp16`, as both libraries name it. */
export const VARIANT_INDEX = /^((?:model|diffusion_pytorch_model)\.safetensors\.index\.)[\w-]+\.json$/
/** A file that is a model only with others, which an index names. */
export const SHARD = /-\d{5}-of-\d{5}\.safetensors$/
