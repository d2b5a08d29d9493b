import { randomFillSync } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TensorPlan } from '../../src/models/safetensors-layout.ts'
import { SafetensorsWriter } from '../../src/models/safetensors-writer.ts'
import { readChatTokenizer } from './chat-tokenizer.ts'
import { layerMatrices, qwen3Config, type RandomQwen3 } from './qwen3-shape.ts'

type Config = ReturnType<typeof qwen3Config>

/** Standard deviation of a random byte, and of a random half of one. */
const SPREAD = { 8: 73.9, 4: 4.61 }

/**
 * Writes a bundle of random weights in the shapes of Qwen3-0.6B, stored in blocks of 128 or whole rows, with the
 * vocabulary of the bundle `tokenizerOf`. Speed does not depend on the values of weights; answers of this model mean nothing.
 */
export async function writeRandomQwen3(folder: string, which: RandomQwen3, tokenizerOf: string): Promise<void> {
  const draft = `${folder}.draft`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true })
  const { tokenizer, vocabulary } = await readChatTokenizer(tokenizerOf)
  const config = qwen3Config(which, vocabulary)
  await writeFile(join(draft, 'config.json'), JSON.stringify(config))
  await writeFile(join(draft, 'tokenizer.json'), tokenizer)
  await writeWeights(join(draft, 'model.safetensors'), config)
  await rm(folder, { recursive: true, force: true })
  await rename(draft, folder)
}

async function writeWeights(file: string, config: Config): Promise<void> {
  const { num_hidden_layers: layers, hidden_size: hidden, head_dim: headSize } = config
  const { block_size: block, bits } = config.quantization_config
  const matrices: [string, readonly [number, number]][] = [['model.embed_tokens', [config.vocab_size, hidden]]]
  const norms: [string, number][] = [['model.norm', hidden]]
  for (let i = 0; i < layers; i++) {
    const layer = `model.layers.${i}`
    for (const [name, shape] of Object.entries(layerMatrices(config))) matrices.push([`${layer}.${name}`, shape])
    norms.push([`${layer}.input_layernorm`, hidden], [`${layer}.post_attention_layernorm`, hidden])
    norms.push([`${layer}.self_attn.q_norm`, headSize], [`${layer}.self_attn.k_norm`, headSize])
  }
  const plans: TensorPlan[] = [
    ...norms.map(([name, size]) => ({ name: `${name}.weight`, dtype: 'F32' as const, shape: [size] })),
    ...matrices.flatMap(([name, [rows, width]]) => planMatrix(`${name}.weight`, rows, width, config)),
  ]
  const writer = await SafetensorsWriter.create(file, plans, {})
  for (const [name, size] of norms) await writer.append(`${name}.weight`, new Float32Array(size).fill(1))
  for (const [name, [rows, width]] of matrices) {
    await writer.append(`${name}.weight`, randomFillSync(new Uint8Array((rows * width * bits) / 8)))
    const scale = 1 / (SPREAD[bits] * Math.sqrt(width))
    await writer.append(
      `${name}.weight.scales`,
      new Float32Array(block === 'row' ? rows : (rows * width) / block).fill(scale),
    )
  }
  await writer.close()
}

function planMatrix(
  name: string,
  rows: number,
  width: number,
  { quantization_config: { block_size: block, bits } }: Config,
): TensorPlan[] {
  if (block === 'row') {
    return [
      { name, dtype: 'I8', shape: [rows, width] },
      { name: `${name}.scales`, dtype: 'F32', shape: [rows] },
    ]
  }
  return [
    { name, dtype: 'U8', shape: [rows, width / block, (block * bits) / 8] },
    { name: `${name}.scales`, dtype: 'F32', shape: [rows, width / block] },
  ]
}
