import { extendTokenizer } from '../models/chat-tokenizer.ts'
import { type ModernBertSize, modernBertConfig, modernBertShapes } from '../models/modernbert-shape.ts'
import type { RandomFiles } from '../models/write-random-files.ts'
import type { Shapes } from '../models/write-random-weights.ts'

/** Sizes in published `config.json` files. */
const BASE = { layers: 22, hidden: 768, heads: 12, inner: 1152, vocabulary: 50_368, positions: 8192 }
const LARGE = { layers: 28, hidden: 1024, heads: 16, inner: 2624, vocabulary: 50_368, positions: 8192 }
const MULTILINGUAL_BASE = { ...BASE, vocabulary: 256_000 }
const MULTILINGUAL_SMALL = { layers: 22, hidden: 384, heads: 6, inner: 1152, vocabulary: 256_000, positions: 8192 }

const HEAD_LAYERS = 2
const TEMPERATURES = { temperature: [1, 1, 1], temperature_by_options: {} }

/** Checkpoints of decision models on encoders in their published shapes, by the `tokenizer.json` that they get. */
export const ENCODERS = {
  laya: (tokenizer) => layaFiles(LARGE, 512, tokenizer),
  'laya-multilingual': (tokenizer) => layaFiles(MULTILINGUAL_BASE, 1024, tokenizer),
  'julia-1': juliaFiles,
  'opendecider-nano': nanoFiles,
  'modernbert-nli': nliFiles,
} satisfies Record<string, (tokenizer: string) => RandomFiles>

/** A vocabulary that takes the first rows of an encoder's, with the tokens that frame a text. */
export async function readEncoderTokenizer(): Promise<string> {
  return (await extendTokenizer(['[CLS]', '[SEP]', '[MASK]'])).tokenizer
}

function layaFiles(size: ModernBertSize, positions: number, tokenizer: string): RandomFiles {
  const agent = { head_layers: HEAD_LAYERS, max_len: positions, head_max_len: 192, ...TEMPERATURES }
  const texts = {
    'rl_agent_config.json': JSON.stringify(agent),
    'encoder/config.json': JSON.stringify(modernBertConfig(size)),
    'tokenizer/tokenizer.json': tokenizer,
  }
  return { texts, weights: { 'model.safetensors': layaShapes(size) } }
}

function juliaFiles(tokenizer: string): RandomFiles {
  const texts = {
    'config.json': JSON.stringify({ architecture: 'JuliaDecisionModel' }),
    'julia_config.json': JSON.stringify({ format_version: 1, head_layers: HEAD_LAYERS }),
    'encoder/config.json': JSON.stringify(modernBertConfig(MULTILINGUAL_SMALL)),
    'tokenizer/tokenizer.json': tokenizer,
  }
  return { texts, weights: { 'model.safetensors': layaShapes(MULTILINGUAL_SMALL) } }
}

function nanoFiles(tokenizer: string): RandomFiles {
  const { hidden } = LARGE
  const head = { ...layer('0', hidden, hidden), ...norm('2', hidden), ...layer('3', 1, hidden) }
  const texts = {
    'config.json': JSON.stringify({ ...modernBertConfig(LARGE), architectures: ['ModernBertModel'] }),
    'opendecider.json': JSON.stringify({ kind: 'nano' }),
    'tokenizer.json': tokenizer,
  }
  return { texts, weights: { 'model.safetensors': modernBertShapes(LARGE, ''), 'head.safetensors': head } }
}

function nliFiles(tokenizer: string): RandomFiles {
  const { hidden } = BASE
  const labels = { id2label: { 0: 'entailment', 1: 'neutral', 2: 'contradiction' } }
  const architectures = ['ModernBertForSequenceClassification']
  const shapes = {
    ...modernBertShapes(BASE, 'model.'),
    'head.dense.weight': [hidden, hidden],
    'head.norm.weight': [hidden],
    ...layer('classifier', 3, hidden),
  }
  const texts = {
    'config.json': JSON.stringify({ ...modernBertConfig(BASE), ...labels, architectures }),
    'tokenizer.json': tokenizer,
  }
  return { texts, weights: { 'model.safetensors': shapes } }
}

/** The encoder with the head of Laya, which is Julia's too. */
function layaShapes(size: ModernBertSize): Shapes {
  const { hidden: width } = size
  const shapes: Record<string, readonly number[]> = {
    ...modernBertShapes(size, 'encoder.'),
    'type_emb.weight': [3, width],
    ...norm('scorer.0', width),
    ...layer('scorer.1', width, width),
    ...layer('scorer.3', 1, width),
  }
  for (let i = 0; i < HEAD_LAYERS; i++) {
    const name = `head.layers.${i}`
    Object.assign(shapes, norm(`${name}.norm1`, width), norm(`${name}.norm2`, width))
    Object.assign(shapes, layer(`${name}.linear1`, 4 * width, width), layer(`${name}.linear2`, width, 4 * width))
    Object.assign(shapes, layer(`${name}.self_attn.out_proj`, width, width))
    shapes[`${name}.self_attn.in_proj_weight`] = [3 * width, width]
    shapes[`${name}.self_attn.in_proj_bias`] = [3 * width]
  }
  return shapes
}

function layer(name: string, outputs: number, inputs: number): Shapes {
  return { [`${name}.weight`]: [outputs, inputs], [`${name}.bias`]: [outputs] }
}

function norm(name: string, width: number): Shapes {
  return { [`${name}.weight`]: [width], [`${name}.bias`]: [width] }
}
