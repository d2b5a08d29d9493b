import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseLanguageModelConfig } from '../../src/models/language-models/families.ts'
import type { LanguageModelConfig } from '../../src/models/language-models/language-model-config.ts'
import { readSafetensors } from '../../src/models/weights/read-safetensors.ts'
import type { WeightIndex } from '../../src/models/weights/weight-index.ts'
import { readFloats, readIntegers } from './read-tensor.ts'

export const LANGUAGE_MODEL_FIXTURES = [
  'qwen3-mha-tied',
  'qwen3-gqa2-untied',
  'qwen3-gqa4-sharded',
  'qwen3-bf16',
  'qwen3-fp16',
  'qwen3-extreme',
  'qwen2-tied',
  'qwen2-yarn',
  'qwen2-bf16',
  'qwen2-fp16',
  'llama-linear',
  'llama-llama3',
  'llama-yarn',
  'llama-fp16',
  'llama-bf16',
  'mistral-heads',
  'mistral-bf16',
  'gemma3-window',
  'gemma3-pattern',
  'gemma3-fp16',
  'gemma3-bf16',
  'smollm3-listed',
  'smollm3-bf16',
] as const

export interface LanguageModelCheckpoint {
  readonly config: LanguageModelConfig
  readonly weights: WeightIndex
}

/** What transformers computed, see language_models.py beside the fixtures. */
export interface ExpectedLogits {
  readonly ids: readonly number[]
  readonly logits: Float32Array
  /** How many of `ids` the branches share. */
  readonly prefix: number
  readonly branches: readonly { readonly ids: readonly number[]; readonly logits: Float32Array }[]
}

export function fixtureFolder(name: string): string {
  return fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))
}

export async function openCheckpoint(folder: string): Promise<LanguageModelCheckpoint> {
  const file = join(folder, 'config.json')
  const config = parseLanguageModelConfig(JSON.parse(readFileSync(file, 'utf8')), file)
  return { config, weights: await readSafetensors(folder) }
}

export async function readExpected(folder: string): Promise<ExpectedLogits> {
  const stored = await readSafetensors(join(folder, 'expected.safetensors'))
  const branches = []
  for (let b = 0; stored.get(`branch.${b}.ids`); b++) {
    branches.push({ ids: readIntegers(stored, `branch.${b}.ids`), logits: readFloats(stored, `branch.${b}.logits`) })
  }
  return {
    ids: readIntegers(stored, 'input_ids'),
    logits: readFloats(stored, 'logits'),
    prefix: Number(stored.metadata['prefix']),
    branches,
  }
}
