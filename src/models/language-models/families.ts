import { ModelFormatError } from '../../errors/index.ts'
import { findFamily, identifyModel, type ModelConfig } from '../configs/model-config.ts'
import { explainUnsupported } from '../configs/unsupported-kinds.ts'
import { gemma3 } from './gemma3/gemma3.ts'
import type { LanguageModelConfig, LanguageModelFamily } from './language-model-config.ts'
import { llama } from './llama/llama.ts'
import { mistral } from './mistral/mistral.ts'
import { qwen2 } from './qwen2/qwen2.ts'
import { qwen3 } from './qwen3/qwen3.ts'
import { smollm3 } from './smollm3/smollm3.ts'

/** Every causal language model that this library computes; AGENTS.md says how to add one. */
export const LANGUAGE_MODELS: readonly LanguageModelFamily[] = [qwen3, qwen2, llama, mistral, gemma3, smollm3]

const withBare = (row: LanguageModelFamily) => ({ ...row, architectures: [...row.architectures, ...row.bare] })

/** All of them, where a checkpoint may lack the head. */
export const WITH_OR_WITHOUT_HEAD: readonly LanguageModelFamily[] = LANGUAGE_MODELS.map(withBare)

/** Those that read texts for pictures. */
const TEXT_ENCODERS = [qwen3].map(withBare)

/** @throws ModelFormatError naming the architecture that is not known, or the field that is not supported */
export function readLanguageModelConfig(config: ModelConfig): LanguageModelConfig {
  return findFamily(LANGUAGE_MODELS, config).readConfig(config.json, config.file)
}

/** The same for the text encoder of a pipeline. */
export function readTextEncoderConfig(config: ModelConfig): LanguageModelConfig {
  return findFamily(TEXT_ENCODERS, config).readConfig(config.json, config.file)
}

/**
 * @param json parsed `config.json`
 * @param file its path, for errors
 */
export function parseLanguageModelConfig(json: unknown, file: string): LanguageModelConfig {
  return readLanguageModelConfig(identifyModel(json, file))
}

/**
 * @param architecture `general.architecture` of a GGUF file
 * @param file its path, for errors
 * @throws ModelFormatError naming what it says and all that is known
 */
export function findGgufFamily(architecture: string, file: string): LanguageModelFamily {
  const family = LANGUAGE_MODELS.find(({ ggufArchitecture }) => ggufArchitecture === architecture)
  if (family !== undefined) return family
  // Those of Mistral are called Llama's, and read as such.
  const known = [...new Set(LANGUAGE_MODELS.map(({ ggufArchitecture }) => ggufArchitecture))].join(', ')
  const got = [architecture.slice(0, 200), explainUnsupported([architecture])].filter(Boolean).join(', ')
  throw new ModelFormatError(file, `a language model of general.architecture ${known}`, got)
}
