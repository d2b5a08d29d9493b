import { z } from 'zod'
import type { Backend, Precision } from '../backends/backend.ts'
import { buildQwen3Decoder } from '../graph/index.ts'
import { indexWeights } from '../models/index-weights.ts'
import type { ModelFiles } from '../models/model-files.ts'
import { parseQwen3Config, type Qwen3Config } from '../models/qwen3-config.ts'
import { readConfig } from '../models/read-config.ts'
import { createBranchTemplate } from './branch-template.ts'
import { createChatTemplate } from './chat-template.ts'
import { chooseLinear } from './choose-linear.ts'
import { createDecider, type Decider } from './decider.ts'
import { readManifest } from './manifest.ts'
import { openPrefill } from './open-prefill.ts'
import { createPointerReadout, createSymbolReadout } from './readout.ts'
import { loadTokenizer } from './tokenizer.ts'

/**
 * Opens a bundle: `config.json`, `model.safetensors` (or shards) and `tokenizer.json` as transformers publishes
 * a Qwen3 checkpoint, and optionally `tessera.json`.
 *
 * @throws ModelFormatError naming the file that is missing or wrong.
 */
export async function openDecider({ backend, files }: { backend: Backend; files: ModelFiles }): Promise<Decider> {
  const json = await readConfig(files, 'config.json', z.unknown(), 'a configuration in JSON')
  const config = parseQwen3Config(json, `${files.location}/config.json`)
  const positions = config.max_position_embeddings
  const [manifest, weights, tokenizer] = await Promise.all([
    readManifest(files, Math.min(positions, longestWindow(config, backend.precision))),
    indexWeights(files),
    loadTokenizer(files),
  ])
  const template = manifest.template === 'branch-1' ? createBranchTemplate(tokenizer) : createChatTemplate(tokenizer)
  const readout =
    manifest.readout === 'pointer'
      ? createPointerReadout()
      : createSymbolReadout(tokenizer, `${files.location}/tokenizer.json`)
  const { attention, precision, movesHalf } = backend
  const options = { linear: chooseLinear(weights), maxPositions: positions, attention, precision, movesHalf }
  const { num_hidden_layers: layers, num_key_value_heads: heads, head_dim: headDim } = config
  const reading = buildQwen3Decoder(config, weights, { ...options, graph: 'prefill' })
  const prefill = await openPrefill(backend, reading, { layers, heads, headDim, precision })
  const branch = await backend.createSession(
    buildQwen3Decoder(config, weights, { ...options, graph: 'branch', head: readout.head }),
  )
  return createDecider({
    decoder: { prefill, branch, readout },
    manifest,
    template,
    tokenizer,
    limits: { positions, window: manifest.window },
  })
}

/** Bytes of keys and values that one request may hold. Longer states of models without a manifest are read in windows. */
const CACHE_BYTES = 2 ** 31

/** Tokens whose keys and values take `CACHE_BYTES`: 9,362 of Qwen3-0.6B in 32-bit floats. */
export function longestWindow(
  {
    num_hidden_layers,
    num_key_value_heads,
    head_dim,
  }: Pick<Qwen3Config, 'num_hidden_layers' | 'num_key_value_heads' | 'head_dim'>,
  precision: Precision,
): number {
  const bytes = 2 * num_hidden_layers * num_key_value_heads * head_dim * (precision === 'float16' ? 2 : 4)
  return Math.floor(CACHE_BYTES / bytes)
}
