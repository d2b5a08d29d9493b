import type { Precision } from '../../backends/backend.ts'
import { buildLanguageModel, chooseCompute } from '../../graph/index.ts'
import { readLanguageModelConfig } from '../../models/language-models/families.ts'
import type { LanguageModelConfig } from '../../models/language-models/language-model-config.ts'
import { checkTensors } from '../../models/language-models/tensor-layout.ts'
import { indexWeights } from '../../models/weights/index-weights.ts'
import { createDecider, type Decider } from '../decider.ts'
import type { DecisionBundle } from '../decision-family.ts'
import { readManifest } from '../manifest.ts'
import { loadTokenizer } from '../tokenizer/tokenizer.ts'
import { readAsking } from './asking.ts'
import { createLanguageModelReader } from './language-model-reader.ts'
import { openPasses } from './open-passes.ts'
import { CHUNK } from './passes.ts'
import { LONGEST_BRANCH } from './plan.ts'

/**
 * Opens a causal language model: `config.json`, `model.safetensors` (or shards) and `tokenizer.json` as transformers
 * publishes them, and optionally `tessera.json`.
 *
 * @throws ModelFormatError naming the file that is missing or wrong
 */
export async function openLanguageModel(bundle: DecisionBundle): Promise<Decider> {
  const { backend, files, config: described, kept } = bundle
  const config = readLanguageModelConfig(described)
  const longest = longestWindow(config, backend.precision)
  // Tables of positions are made for as many as are ever read.
  const positions = Math.min(config.max_position_embeddings, longest + 2 * LONGEST_BRANCH)
  const [manifest, weights, tokenizer] = await Promise.all([
    readManifest(files, Math.min(positions, longest)),
    indexWeights(files),
    loadTokenizer(files, { vocabulary: config.vocab_size }),
  ])
  checkTensors(config, weights)
  const { template, readout } = await readAsking(bundle, manifest, tokenizer)
  const { precision } = backend
  const options = { ...chooseCompute(backend, weights), maxPositions: positions }
  const { num_hidden_layers: layers, num_key_value_heads: heads, head_dim: headDim } = config
  const passes = await openPasses(backend, {
    build: (graph) => buildLanguageModel(config, weights, { ...options, graph, head: readout.head }),
    shape: { layers, heads, headDim, precision },
    head: readout.feeds,
  })
  const limits = { positions, window: manifest.window }
  const reader = createLanguageModelReader({ model: { passes, readout }, template, limits, kept })
  return createDecider(reader, {
    name: manifest.name,
    tokenizer,
    calibration: manifest.calibration,
    sharpness: manifest.window.sharpness,
    workingMemory: predictWorkingMemory(config, precision),
  })
}

type CacheSizes = Pick<LanguageModelConfig, 'num_hidden_layers' | 'num_key_value_heads' | 'head_dim'>

/** Bytes of keys and values that one request may hold. Longer states of models without a manifest are read in windows. */
const CACHE_BYTES = 2 ** 31

/** Tokens whose keys and values take `CACHE_BYTES`: 9,362 of Qwen3-0.6B in 32-bit floats. */
export function longestWindow(config: CacheSizes, precision: Precision): number {
  return Math.floor(CACHE_BYTES / cacheRowBytes(config, precision))
}

/** Keys and values of a state of 1,024 tokens and of one pass, here and in the runtime; the rest is small beside them. */
function predictWorkingMemory(config: CacheSizes, precision: Precision): number {
  return 2 * (1024 + CHUNK) * cacheRowBytes(config, precision)
}

function cacheRowBytes({ num_hidden_layers, num_key_value_heads, head_dim }: CacheSizes, precision: Precision): number {
  return 2 * num_hidden_layers * num_key_value_heads * head_dim * (precision === 'float16' ? 2 : 4)
}
