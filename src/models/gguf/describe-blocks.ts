import type { QuantizationConfig, TensorFormat } from '../configs/quantization-config.ts'
import type { TranslatedTensor } from './gguf-tensors.ts'

/** The form that most tensors are stored in, and by name those that are stored otherwise. */
export function describeBlocks(
  tensors: readonly TranslatedTensor[],
): { readonly quantization_config: QuantizationConfig } | undefined {
  const stored = tensors.flatMap(({ name, blocks }) => (blocks === undefined ? [] : [{ name, blocks }]))
  const same = (a: TensorFormat, b: TensorFormat) => a.bits === b.bits && a.block_size === b.block_size
  const count = (blocks: TensorFormat) => stored.filter((other) => same(other.blocks, blocks)).length
  const [first, ...rest] = new Map(stored.map(({ blocks }) => [`${blocks.bits} ${blocks.block_size}`, blocks])).values()
  if (first === undefined) return undefined
  const usual = rest.reduce((most, blocks) => (count(blocks) > count(most) ? blocks : most), first)
  const others = stored.filter(({ blocks }) => !same(blocks, usual)).map(({ name, blocks }) => [name, blocks] as const)
  return { quantization_config: { quant_method: 'tessera', ...usual, tensors: Object.fromEntries(others) } }
}
