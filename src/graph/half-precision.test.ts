import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { materializeBundle, type ImageBundle, type ImageBundleName } from '../../test/helpers/image-bundle.ts'
import { fixtureFolder, openCheckpoint } from '../../test/helpers/language-model-fixture.ts'
import { drawFloats } from '../../test/helpers/pseudo-random.ts'
import { largestRelativeError } from '../../test/helpers/relative-error.ts'
import { float32, int64, runGraph } from '../../test/helpers/run-graph.ts'
import type { Precision, Tensor } from '../backends/backend.ts'
import { autoencoderKlConfigSchema, autoencoderKlFlux2ConfigSchema } from '../models/configs/autoencoder-config.ts'
import { flux2ConfigSchema } from '../models/configs/flux2-config.ts'
import { readConfig } from '../models/configs/read-config.ts'
import { zImageConfigSchema } from '../models/configs/z-image-config.ts'
import { openFolder } from '../models/files/model-folder.ts'
import { readSafetensors } from '../models/weights/read-safetensors.ts'
import type { BuiltGraph } from '../onnx/built-graph.ts'
import {
  buildAutoencoderKlFlux2Encoder,
  buildFlux2Transformer,
  buildHiddenStates,
  buildZImageCaption,
  buildZImageTransformer,
  describeAutoencoderKlDecoder,
  describeAutoencoderKlFlux2Decoder,
} from './index.ts'
import { halfBound, keepHalfRounding } from './test-support/half-rounding.ts'

const backend = await cpuBackend()

type Feeds = Readonly<Record<string, Tensor>>
type Build = (precision: Precision) => BuiltGraph

const ATTENTION = ['fused', 'explicit'] as const
const noise = (name: string, ...dims: number[]) =>
  float32(
    drawFloats(
      name,
      dims.reduce((product, dim) => product * dim, 1),
      0,
      1,
    ),
    ...dims,
  )
const rows = (count: number, all: number) =>
  int64(
    Array.from({ length: all }, (_, i) => Math.min(i, count)),
    all,
  )

function angles(prefix: string, tokens: number, pairs: number): Feeds {
  const turned = (part: string, change: (angle: number) => number) => [
    `${prefix}${part}`,
    float32(drawFloats(`${prefix}angles`, tokens * pairs, 0, 3).map(change), tokens, pairs),
  ]
  return Object.fromEntries([turned('cos', Math.cos), turned('sin', Math.sin)]) as Feeds
}

describe('graphs in half precision stay near those in float32', () => {
  const bundles = new Map<ImageBundleName, ImageBundle>()
  beforeAll(async () => {
    for (const name of ['z-image-turbo', 'klein-distilled'] as const) bundles.set(name, await materializeBundle(name))
  })
  afterAll(async () => {
    for (const bundle of bundles.values()) await bundle.remove()
  })
  beforeEach(keepHalfRounding)
  afterEach(() => vi.restoreAllMocks())

  /** Every output within `bound` of float32's, as a share of the largest; and not the same, or nothing was halved. */
  async function compare(build: Build, feeds: Feeds, bound: number): Promise<void> {
    const whole = await runGraph(backend, build('float32'), feeds)
    const half = await runGraph(backend, build('float16'), feeds)
    for (const [name, { data }] of Object.entries(whole)) {
      const error = largestRelativeError(half[name], data as Float32Array)
      expect(error).toBeLessThan(halfBound(bound))
      expect(error).toBeGreaterThan(1e-5)
    }
  }

  const part = (name: ImageBundleName, folder: string) => join(bundles.get(name)!.folder, folder)

  it.each(ATTENTION)('Z-Image, %s attention', async (attention) => {
    const path = part('z-image-turbo', 'transformer')
    const config = await readConfig(openFolder(path), 'config.json', zImageConfigSchema, 'a configuration')
    const weights = await readSafetensors(path)
    const pairs = config.dim / config.n_heads / 2
    await compare(
      (precision) => buildZImageCaption(config, weights, { linear: 'float', attention, precision }),
      {
        caption_features: noise('features', 20, config.cap_feat_dim),
        caption_rows: rows(20, 32),
        ...angles('', 32, pairs),
      },
      3e-3,
    )
    await compare(
      (precision) => buildZImageTransformer(config, weights, { linear: 'float', attention, precision }),
      {
        tokens: noise('tokens', 24, 4 * config.in_channels),
        token_rows: rows(24, 32),
        timestep: noise('time', 1, 256),
        caption: noise('caption', 32, config.dim),
        ...angles('', 32, pairs),
        ...angles('caption_', 32, pairs),
      },
      3e-3,
    )
  })

  it.each(ATTENTION)('FLUX.2, %s attention', async (attention) => {
    const path = part('klein-distilled', 'transformer')
    const config = await readConfig(openFolder(path), 'config.json', flux2ConfigSchema, 'a configuration')
    const weights = await readSafetensors(path)
    await compare(
      (precision) => buildFlux2Transformer(config, weights, { linear: 'float', attention, precision }),
      {
        tokens: noise('tokens', 24, config.in_channels),
        text: noise('text', 16, config.joint_attention_dim),
        timestep: noise('time', 1, 256),
        ...angles('', 40, config.attention_head_dim / 2),
      },
      3e-3,
    )
  })

  it.each(['qwen3-gqa2-untied', 'qwen3-fp16', 'qwen3-bf16'])('the text encoder of %s', async (name) => {
    const { config, weights } = await openCheckpoint(fixtureFolder(name))
    const ids = Array.from({ length: 24 }, (_, i) => (7 * i) % config.vocab_size)
    await compare(
      (precision) =>
        buildHiddenStates(config, weights, {
          hiddenStates: [1, config.num_hidden_layers],
          linear: 'float',
          maxPositions: 32,
          precision,
        }),
      {
        input_ids: int64(ids, 1, 24),
        position_ids: int64(
          ids.map((_, i) => i),
          1,
          24,
        ),
        seqlens_k: { type: 'int32', dims: [1], data: Int32Array.of(23) },
        total_sequence_length: { type: 'int32', dims: [], data: Int32Array.of(24) },
      },
      3e-3,
    )
  })

  it.each(ATTENTION)('the AutoencoderKL, %s attention', async (attention) => {
    const path = part('z-image-turbo', 'vae')
    const config = await readConfig(openFolder(path), 'config.json', autoencoderKlConfigSchema, 'a configuration')
    const weights = await readSafetensors(path)
    await compare(
      (precision) => describeAutoencoderKlDecoder(config, weights, { attention, precision }).whole(),
      {
        latents: noise('latents', 1, config.latent_channels, 6, 8),
      },
      3e-3,
    )
  })

  it('the AutoencoderKLFlux2, both ways', async () => {
    const path = part('klein-distilled', 'vae')
    const config = await readConfig(openFolder(path), 'config.json', autoencoderKlFlux2ConfigSchema, 'a configuration')
    const weights = await readSafetensors(path)
    await compare(
      (precision) => describeAutoencoderKlFlux2Decoder(config, weights, { precision }).whole(),
      {
        latents: noise('latents', 1, 4 * config.latent_channels, 4, 6),
      },
      3e-3,
    )
    await compare(
      (precision) => buildAutoencoderKlFlux2Encoder(config, weights, { precision }),
      {
        image: noise('picture', 1, 3, 32, 48),
      },
      3e-3,
    )
  })
})
