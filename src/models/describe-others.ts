import type { ModelFiles } from './files/model-files.ts'

/** Weights by their names, in formats that are read and others. */
const WEIGHTS = /\.(?:safetensors|gguf|bin|pth?|ckpt|h5|msgpack|onnx)$/i
/** What trainers keep beside weights. */
const OF_TRAINING = /^(?:training_args|optimizer|scheduler|scaler|rng_state)/
const MOST_NAMED = 4
/** What to do with a file of another format, by its name. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/^(?:model|diffusion_pytorch_model)\.safetensors$/, 'which is a folder, or a link that leads nowhere'],
  [/-\d{5}-of-\d{5}\.safetensors$/, 'without the index that says which tensors are in which'],
  [/\.safetensors$/, 'which has another name'],
  [/\.gguf$/i, 'which is given by its own path'],
  [/\.onnx$/i, 'which is not read: take the weights that it was made from'],
  [/./, 'which save_pretrained of transformers or diffusers writes anew as safetensors'],
]

/** A revision in the hub's cache, and what lies in it. */
const SNAPSHOT = /[\\/]models--([^\\/]+?)--([^\\/]+)[\\/]snapshots[\\/][^\\/]+([\\/].)?/

/** The command that fetches what a folder of the hub's cache lacks; undefined of any other. */
export function howToPull({ location }: Pick<ModelFiles, 'location'>): string | undefined {
  const [, owner, name] = SNAPSHOT.exec(location) ?? []
  return owner && `npx tessera-onnx pull ${owner}/${name}`
}

/**
 * The same where it has no weights, in words: other tools may have fetched a tokenizer alone. Of a folder in a revision nothing is known, as
 * that of a pipeline's tokenizer never has weights.
 */
export async function explainMissing(files: ModelFiles): Promise<string | undefined> {
  const [, , , within] = SNAPSHOT.exec(files.location) ?? []
  const command = within === undefined ? howToPull(files) : undefined
  return command && (await listWeights(files)).length === 0 ? `no weights beside it either: ${command}` : undefined
}

/** What lies in a folder in place of the weights that are looked for there, in words. */
export async function describeOthers(files: ModelFiles): Promise<string> {
  const names = await listWeights(files)
  for (const [pattern, remedy] of REMEDIES) {
    const found = names.filter((name) => pattern.test(name))
    if (found.length === 0) continue
    const more = found.length > MOST_NAMED ? ', …' : ''
    return `${found.slice(0, MOST_NAMED).join(', ')}${more}, ${remedy}`
  }
  return ['none of them', howToPull(files)].filter(Boolean).join(': ')
}

async function listWeights(files: ModelFiles): Promise<string[]> {
  return ((await files.names?.()) ?? []).filter((name) => WEIGHTS.test(name) && !OF_TRAINING.test(name)).sort()
}
