import { readFloats } from '../../../test/helpers/read-tensor.ts'
import { float32, int64, runGraph } from '../../../test/helpers/run-graph.ts'
import type { Backend, Tensor } from '../../backends/backend.ts'
import { patchify, unpatchify } from '../../images/sampling/packing.ts'
import { captionPositions, padLength, picturePositions } from '../../images/sampling/positions.ts'
import { computeRotaryTable } from '../../images/sampling/rotary-table.ts'
import { computeTimestepFeatures } from '../../images/sampling/timestep-features.ts'
import { readConfig } from '../../models/configs/read-config.ts'
import { zImageConfigSchema } from '../../models/configs/z-image-config.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { indexWeights } from '../../models/weights/index-weights.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import type { TransformerOptions } from '../layers/start-graph.ts'
import { buildZImageCaption, buildZImageTransformer } from '../transformers/z-image-transformer.ts'
import type { RecordedForward } from './forward-flux2.ts'

/**
 * A recorded forward pass with the transformer in a folder.
 *
 * @param given @defaultValue the weights of the folder
 */
export async function forwardZImage(
  backend: Backend,
  { expected, run }: RecordedForward,
  files: ModelFiles,
  options: TransformerOptions,
  given?: WeightIndex,
): Promise<Tensor> {
  const read = (name: string) => readFloats(expected, `forward.${run}.${name}`)
  const config = await readConfig(files, 'config.json', zImageConfigSchema, 'a configuration')
  const weights = given ?? (await indexWeights(files))
  const shape = expected.get(`forward.${run}.latents`)!.shape as [number, number, number]
  const [latents, features] = [read('latents'), read('caption')]
  const length = features.length / config.cap_feat_dim
  const [channels, height, width] = shape
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
    caption_features: float32(features, length, config.cap_feat_dim),
    caption_rows: rows(length, paddedCaption),
    cos: float32(captionTable.cos, paddedCaption, angles),
    sin: float32(captionTable.sin, paddedCaption, angles),
  })
  const { prediction } = await runGraph(backend, buildZImageTransformer(config, weights, options), {
    tokens: float32(patchify(latents, channels, height, width), tokens, 4 * channels),
    token_rows: rows(tokens, padded),
    timestep: float32(computeTimestepFeatures(Math.fround(read('timestep')[0]! * 1000)), 1, 256),
    caption: caption!,
    cos: float32(table.cos, padded, angles),
    sin: float32(table.sin, padded, angles),
    caption_cos: float32(captionTable.cos, paddedCaption, angles),
    caption_sin: float32(captionTable.sin, paddedCaption, angles),
  })
  return float32(unpatchify(prediction!.data as Float32Array, channels, height, width))
}
