import type { ReadTensor } from '../weights/open-tensors.ts'
import type { WeightIndex } from '../weights/weight-index.ts'

/** A matrix by the name of its module. */
interface Module {
  readonly stem: string
  readonly outputs: number
}

/**
 * Names of the biases that a model does not have. AutoGPTQ made each of its modules with one, as those of Qwen2 and Llama on the hub show:
 * then every matrix has a bias, and those of a kind such as `o_proj` are zeros in all layers.
 */
export async function findEmptyBiases(
  weights: WeightIndex,
  modules: readonly Module[],
  read: ReadTensor,
): Promise<ReadonlySet<string>> {
  const named = modules.map(({ stem, outputs }) => ({ name: `${stem}.bias`, kind: stem.split('.').at(-1), outputs }))
  if (named.some(({ name }) => weights.get(name) === undefined)) return new Set()
  const real = new Set<string | undefined>()
  for (const { name, kind, outputs } of named) {
    const entry = weights.get(name)!
    const isBias = entry.shape.length === 1 && entry.shape[0] === outputs
    if (!isBias || (await read(entry, 0, entry.length)).some((byte) => byte !== 0)) real.add(kind)
  }
  return new Set(named.filter(({ kind }) => !real.has(kind)).map(({ name }) => name))
}
