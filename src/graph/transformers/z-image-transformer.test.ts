import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { materializeBundle, type ImageBundle } from '../../../test/helpers/image-bundle.ts'
import { readFloats } from '../../../test/helpers/read-tensor.ts'
import { largestRelativeError } from '../../../test/helpers/relative-error.ts'
import { float32, int64, runGraph } from '../../../test/helpers/run-graph.ts'
import type { Backend } from '../../backends/backend.ts'
import type { AttentionForm } from '../../backends/backend.ts'
import { createCpuBackend } from '../../backends/cpu.ts'
import { patchify, unpatchify } from '../../images/sampling/packing.ts'
import { captionPositions, padLength, picturePositions } from '../../images/sampling/positions.ts'
import { computeRotaryTable } from '../../images/sampling/rotary-table.ts'
import { computeTimestepFeatures } from '../../images/sampling/timestep-features.ts'
import { openFolder } from '../../models/model-folder.ts'
import { readConfig } from '../../models/read-config.ts'
import { readSafetensors } from '../../models/read-safetensors.ts'
import { zImageConfigSchema } from '../../models/z-image-config.ts'
import { buildZImageCaption, buildZImageTransformer } from './z-image-transformer.ts'

const RUNS = [
  ...[0, 1, 2].map((run) => ({ bundle: 'z-image-turbo' as const, run })),
  ...[0, 1].map((run) => ({ bundle: 'z-image-base' as const, run })),
].flatMap((row) => (['fused', 'explicit'] as const).map((attention) => ({ ...row, attention })))

describe('the S3-DiT agrees with diffusers', () => {
  let backend: Backend
  const bundles = new Map<string, ImageBundle>()

  beforeAll(async () => {
    backend = await createCpuBackend({ threads: 1 })
    for (const name of ['z-image-turbo', 'z-image-base'] as const) bundles.set(name, await materializeBundle(name))
  })
  afterAll(async () => {
    await backend.dispose()
    for (const bundle of bundles.values()) await bundle.remove()
  })

  it.each(RUNS)('$bundle, forward $run, $attention attention', async ({ bundle, run, attention }) => {
    const { folder, expected } = bundles.get(bundle)!
    const wanted = readFloats(expected, `forward.${run}.output`)
    const got = await forward(folder, {
      attention,
      latents: readFloats(expected, `forward.${run}.latents`),
      shape: expected.get(`forward.${run}.latents`)!.shape as [number, number, number],
      caption: readFloats(expected, `forward.${run}.caption`),
      time: readFloats(expected, `forward.${run}.timestep`)[0]!,
    })
    expect(largestRelativeError(float32(got), wanted)).toBeLessThan(2e-5)
  })

  async function forward(
    folder: string,
    input: {
      attention: AttentionForm
      latents: Float32Array
      shape: readonly [channels: number, height: number, width: number]
      caption: Float32Array
      time: number
    },
  ): Promise<Float32Array> {
    const path = join(folder, 'transformer')
    const config = await readConfig(openFolder(path), 'config.json', zImageConfigSchema, 'a configuration')
    const weights = await readSafetensors(path)
    const options = { linear: 'float', attention: input.attention } as const
    const length = input.caption.length / config.cap_feat_dim
    const [channels, height, width] = input.shape
    const grid = { height: height / 2, width: width / 2 }
    const tokens = grid.height * grid.width
    const [padded, paddedCaption] = [padLength(tokens), padLength(length)]
    const axes = { widths: config.axes_dims, theta: config.rope_theta, rounds: 'angles' } as const
    const captionTable = computeRotaryTable(captionPositions(paddedCaption), axes)
    const table = computeRotaryTable(picturePositions(grid, paddedCaption), axes)
    const angles = config.dim / config.n_heads / 2
    const rows = (count: number, all: number) =>
      int64(
        Array.from({ length: all }, (_, i) => Math.min(i, count)),
        all,
      )

    const { caption } = await runGraph(backend, buildZImageCaption(config, weights, options), {
      caption_features: float32(input.caption, length, config.cap_feat_dim),
      caption_rows: rows(length, paddedCaption),
      cos: float32(captionTable.cos, paddedCaption, angles),
      sin: float32(captionTable.sin, paddedCaption, angles),
    })
    const { prediction } = await runGraph(backend, buildZImageTransformer(config, weights, options), {
      tokens: float32(patchify(input.latents, channels, height, width), tokens, 4 * channels),
      token_rows: rows(tokens, padded),
      timestep: float32(computeTimestepFeatures(Math.fround(input.time * 1000)), 1, 256),
      caption: caption!,
      cos: float32(table.cos, padded, angles),
      sin: float32(table.sin, padded, angles),
      caption_cos: float32(captionTable.cos, paddedCaption, angles),
      caption_sin: float32(captionTable.sin, paddedCaption, angles),
    })
    return unpatchify(prediction!.data as Float32Array, channels, height, width)
  }
})
