import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Backend } from '../backends/backend.ts'
import { ModelFormatError } from '../errors/index.ts'
import { buildQwen3Decoder } from '../graph/index.ts'
import { parseQwen3Config, readSafetensors } from '../models/index.ts'
import { createBranchTemplate } from './branch-template.ts'
import { createChatTemplate } from './chat-template.ts'
import { chooseLinear } from './choose-linear.ts'
import { createDecider, type Decider } from './decider.ts'
import { readManifest } from './manifest.ts'
import { createPointerReadout, createSymbolReadout } from './readout.ts'
import { loadTokenizer } from './tokenizer.ts'

/**
 * Opens a bundle: a folder with `config.json`, `model.safetensors` (or shards) and `tokenizer.json` as transformers publishes
 * a Qwen3 checkpoint, and optionally `tessera.json`.
 *
 * @throws ModelFormatError naming the file that is missing or wrong.
 */
export async function openDecider({ backend, folder }: { backend: Backend; folder: string }): Promise<Decider> {
  const config = parseQwen3Config(await readConfig(folder), join(folder, 'config.json'))
  const positions = config.max_position_embeddings
  const [manifest, weights, tokenizer] = await Promise.all([
    readManifest(folder, basename(folder), positions), readSafetensors(folder), loadTokenizer(folder),
  ])
  const template = manifest.template === 'branch-1' ? createBranchTemplate(tokenizer) : createChatTemplate(tokenizer)
  const readout = manifest.readout === 'pointer'
    ? createPointerReadout()
    : createSymbolReadout(tokenizer, join(folder, 'tokenizer.json'))
  const options = { linear: chooseLinear(weights), maxPositions: positions }
  const prefill = await backend.createSession(buildQwen3Decoder(config, weights, { ...options, graph: 'prefill' }))
  const branch = await backend.createSession(buildQwen3Decoder(config, weights, { ...options, graph: 'branch', head: readout.head }))
  const shape = { layers: config.num_hidden_layers, heads: config.num_key_value_heads, headDim: config.head_dim }
  return createDecider({
    decoder: { prefill, branch, readout, shape, inPlace: backend.inPlace },
    manifest, template, tokenizer,
    limits: { positions, window: manifest.window },
  })
}

async function readConfig(folder: string): Promise<unknown> {
  const file = join(folder, 'config.json')
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (cause) {
    throw new ModelFormatError(file, 'a configuration in JSON', String(cause), { cause })
  }
}
