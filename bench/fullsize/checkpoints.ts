import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { autoencoderKl, flux2Autoencoder } from '../models/autoencoder-shape.ts'
import { readChatTokenizer } from '../models/chat-tokenizer.ts'
import { flux2 } from '../models/flux2-shape.ts'
import { languageModelShapes } from '../models/language-model-shape.ts'
import { type RandomFormat, type Shapes, writeRandomBytes, writeRandomFloats } from '../models/write-random-weights.ts'
import { zImageControl } from '../models/z-image-control-shape.ts'
import { zImage } from '../models/z-image-shape.ts'

/** `full` is the published size, `tiny` the same with few and narrow layers, for a test; `small` is wide enough for memory to be seen. */
export type Scale = 'full' | 'small' | 'tiny'

export interface Checkpoint {
  readonly name: string
  readonly title: string
  readonly kind: 'decide' | 'picture'
  /** Bytes that the engine may use for the full size; what it does with more is not what is measured. */
  readonly budget: number
  write(folder: string, scale: Scale): Promise<void>
}

const INT8: RandomFormat = { bits: 8, block: 128 }
const INT8_ROWS: RandomFormat = { bits: 8, block: 'row' }
const INT4: RandomFormat = { bits: 4, block: 32 }
const LEVELS = { full: [128, 256, 512, 512], small: [64, 64, 64, 64], tiny: [32, 32, 32, 32] } as const
/** Channels of Qwen3-4B, and of the small ones. */
const HIDDEN = { full: 2560, small: 256, tiny: 256 } as const

export const CHECKPOINTS: readonly Checkpoint[] = [
  decider('qwen3-4b-int8', 'Qwen3-4B, int8 in blocks of 128', INT8),
  decider('qwen3-4b-int4', 'Qwen3-4B, int4 in blocks of 32', INT4),
  zImagePipeline('z-image-int4', 'Z-Image, int4 in blocks of 32', INT4, 6.5e9),
  zImagePipeline('z-image-rows', 'Z-Image, int8 in rows', INT8_ROWS, 9e9),
  zImagePipeline('z-image-control-int4', 'Z-Image with a ControlNet, int4 in blocks of 32', INT4, 6.5e9, true),
  {
    name: 'klein-4b-int4',
    title: 'FLUX.2 klein 4B, int4 in blocks of 32',
    kind: 'picture',
    // Text encoder and transformer do not fit side by side, as those of Z-Image do not.
    budget: 4.2e9,
    async write(folder, scale) {
      const text = 3 * HIDDEN[scale]
      const sizes = {
        full: { heads: 24, double: 5, single: 20, text },
        small: { heads: 6, double: 1, single: 2, text },
        tiny: { heads: 2, double: 1, single: 1, text },
      } as const
      await writePipeline(folder, scale, {
        index: describePipeline('Flux2KleinPipeline', 'Flux2Transformer2DModel', 'AutoencoderKLFlux2', {
          is_distilled: true,
        }),
        shift: { use_dynamic_shifting: true },
        transformer: flux2('transformer', sizes[scale]),
        autoencoder: flux2Autoencoder('vae', LEVELS[scale]),
        format: INT4,
      })
    },
  },
]

function decider(name: string, title: string, format: RandomFormat): Checkpoint {
  return {
    name,
    title,
    kind: 'decide',
    budget: 8e9,
    async write(folder, scale) {
      await writeText(folder, scale, format)
      await writeTokenizer(folder)
    },
  }
}

function zImagePipeline(
  name: string,
  title: string,
  format: RandomFormat,
  budget: number,
  controlled = false,
): Checkpoint {
  return {
    name,
    title,
    kind: 'picture',
    budget,
    async write(folder, scale) {
      const text = HIDDEN[scale]
      const sizes = {
        full: { heads: 30, layers: 30, refiners: 2, text },
        small: { heads: 9, layers: 8, refiners: 1, text },
        tiny: { heads: 3, layers: 2, refiners: 1, text },
      } as const
      const { heads, layers, refiners } = sizes[scale]
      await writePipeline(folder, scale, {
        index: describePipeline('ZImagePipeline', 'ZImageTransformer2DModel', 'AutoencoderKL', {}),
        shift: { shift: 3, use_dynamic_shifting: false },
        transformer: zImage('transformer', sizes[scale]),
        autoencoder: autoencoderKl('vae', LEVELS[scale]),
        ...(controlled && { control: zImageControl('controlnet', { heads, layers: layers / 2, refiners }) }),
        format,
      })
    },
  }
}

function describePipeline(pipeline: string, transformer: string, autoencoder: string, others: object): object {
  return {
    _class_name: pipeline,
    ...others,
    scheduler: ['diffusers', 'FlowMatchEulerDiscreteScheduler'],
    text_encoder: ['transformers', 'Qwen3ForCausalLM'],
    tokenizer: ['transformers', 'Qwen2Tokenizer'],
    transformer: ['diffusers', transformer],
    vae: ['diffusers', autoencoder],
  }
}

interface Part {
  readonly config: object
  readonly shapes: Shapes
}

interface Pipeline {
  readonly index: object
  readonly shift: object
  readonly transformer: Part
  readonly autoencoder: Part
  readonly control?: Part
  readonly format: RandomFormat
}

async function writePipeline(folder: string, scale: Scale, pipeline: Pipeline): Promise<void> {
  const { index, shift, transformer, autoencoder, control, format } = pipeline
  await writeJson(folder, 'model_index.json', index)
  const schedule = { base_image_seq_len: 256, base_shift: 0.5, max_image_seq_len: 4096, max_shift: 1.15, shift: 3 }
  const scheduler = { _class_name: 'FlowMatchEulerDiscreteScheduler', num_train_timesteps: 1000, ...schedule, ...shift }
  await writeJson(join(folder, 'scheduler'), 'scheduler_config.json', scheduler)
  await writeTokenizer(join(folder, 'tokenizer'))
  await writeText(join(folder, 'text_encoder'), scale, format)
  await writeQuantized(join(folder, 'transformer'), transformer, format)
  if (control) await writeQuantized(join(folder, 'controlnet'), control, format)
  const vae = join(folder, 'vae')
  await writeJson(vae, 'config.json', autoencoder.config)
  await writeRandomFloats(join(vae, 'model.safetensors'), autoencoder.shapes)
}

async function writeQuantized(folder: string, { config, shapes }: Part, format: RandomFormat): Promise<void> {
  await writeJson(folder, 'config.json', { ...config, ...quantization(format) })
  await writeRandomBytes(join(folder, 'model.safetensors'), shapes, format)
}

/** Qwen3-4B: its published `config.json`. */
async function writeText(folder: string, scale: Scale, format: RandomFormat): Promise<void> {
  // The vocabulary of the tokenizer that is written beside it.
  const { vocabulary } = await readChatTokenizer()
  const tiny = { layers: 28, heads: 2, keys: 1, inner: 512, vocabulary, positions: 4096 }
  const full = { layers: 36, heads: 32, keys: 8, inner: 9728, vocabulary: 151_936, positions: 40_960 }
  // Narrow matrices are expanded, which takes more than all others of a small pipeline; klein needs 28 layers.
  const sizes = { full, small: { ...tiny, layers: 2 }, tiny }[scale]
  const config = {
    architectures: ['Qwen3ForCausalLM'],
    model_type: 'qwen3',
    hidden_size: HIDDEN[scale],
    num_hidden_layers: sizes.layers,
    num_attention_heads: sizes.heads,
    num_key_value_heads: sizes.keys,
    head_dim: 128,
    intermediate_size: sizes.inner,
    vocab_size: sizes.vocabulary,
    rms_norm_eps: 1e-6,
    rope_theta: 1_000_000,
    max_position_embeddings: sizes.positions,
    tie_word_embeddings: true,
    ...quantization(format),
  }
  await writeJson(folder, 'config.json', config)
  await writeRandomBytes(join(folder, 'model.safetensors'), languageModelShapes(config, { headNorms: true }), format)
}

function quantization({ bits, block }: RandomFormat): object {
  return { quantization_config: { quant_method: 'tessera', bits, block_size: block } }
}

async function writeTokenizer(folder: string): Promise<void> {
  const { tokenizer } = await readChatTokenizer()
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'tokenizer.json'), tokenizer)
  // Only pipelines read it.
  await writeJson(folder, 'tokenizer_config.json', { pad_token: '<|im_end|>' })
}

async function writeJson(folder: string, name: string, json: object): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, name), JSON.stringify(json))
}
