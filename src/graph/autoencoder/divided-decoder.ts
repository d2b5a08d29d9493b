import type { BuiltGraph } from '../../onnx/built-graph.ts'
import type { Value } from '../../onnx/graph-builder.ts'
import { beginResidualBlock, type AutoencoderModel, type GivenStatistics } from './autoencoder-block.ts'
import {
  beginDecoding,
  endDecoding,
  enlarge,
  enlargeAndRefine,
  listDecoderBlocks,
  type DecoderBlock,
} from './autoencoder-decoder-blocks.ts'

/** A new graph of an autoencoder's decoder, and what makes its latents [1, latent_channels, h, w] from its input. */
export interface StartedDecoder {
  readonly model: AutoencoderModel
  readLatents(): Value
}

/**
 * The decoder of an autoencoder, cut where its normalisation needs to have seen the whole picture. Its finest levels,
 * which take nearly all memory, are stages that run on bands of the picture.
 */
export interface DividedDecoder {
  /** All coarser levels, on the whole picture. Input: `latents`. Output: `features` float32 [1, C, h, w]. */
  begin(): BuiltGraph
  readonly stages: readonly DecoderStage[]
  /** Groups of channels that are normalised together. */
  readonly groups: number
}

/**
 * Part of a decoder with at most two normalisations. Its graphs take `features` float32 [1, inputs, h, w] and, for each
 * normalisation that they contain, `mean_0`, `variance_0`, … float32 [groups]: statistics over the whole picture. They
 * give `result` float32 [1, C, scale · h, scale · w], where rows next to a cut are wrong by what lies beyond it.
 */
export interface DecoderStage {
  readonly inputs: number
  readonly outputs: number
  /** Sides of the result over those of the input. */
  readonly scale: 1 | 2
  /** What the second normalisation reads; in front of it, where the picture is doubled, what the first one reads. */
  readonly measured: readonly { readonly graph: () => BuiltGraph; readonly channels: number }[]
  result(): BuiltGraph
}

/** Levels that are divided. Those below have 1/16 of the picture's positions and with them little of the memory. */
const DIVIDED_LEVELS = 2

export function divideDecoder(blockChannels: readonly number[], start: () => StartedDecoder): DividedDecoder {
  const { config } = start().model
  const blocks = listDecoderBlocks(config, blockChannels)
  const first = Math.max(1, blockChannels.length - DIVIDED_LEVELS)
  const whole = blocks.filter(({ level }) => level < first)
  const build = (inputs: number, norms: number, add: Build) => () => {
    const { model } = start()
    const { g } = model
    const features = g.input('features', 'float32', [1, inputs, 'height', 'width'])
    const statistics = Array.from({ length: norms }, (_, i) => ({
      mean: g.input(`mean_${i}`, 'float32', [config.norm_num_groups]),
      variance: g.input(`variance_${i}`, 'float32', [config.norm_num_groups]),
    }))
    const { value, channels } = add(model, features, statistics)
    g.output('result', value, 'float32', [1, channels, 'result_height', 'result_width'])
    return g.build(model.weights.folder)
  }
  const channels = blocks.at(-1)!.outputs
  return {
    groups: config.norm_num_groups,
    begin() {
      const { model, readLatents } = start()
      let x = beginDecoding(model, readLatents(), blocks)
      for (const block of whole) x = enlargeAndRefine(model, x, block)
      model.g.output('features', x, 'float32', [1, whole.at(-1)!.outputs, 'height', 'width'])
      return model.g.build(model.weights.folder)
    },
    stages: [
      ...blocks.slice(whole.length).map((block) => divideBlock(block, build)),
      {
        inputs: channels,
        outputs: config.out_channels,
        scale: 1,
        measured: [],
        result: build(channels, 1, (model, x, [statistics]) => ({
          value: endDecoding(model, x, blocks, statistics),
          channels: config.out_channels,
        })),
      },
    ],
  }
}

type Build = (
  model: AutoencoderModel,
  x: Value,
  statistics: readonly GivenStatistics[],
) => { readonly value: Value; readonly channels: number }

function divideBlock(
  block: DecoderBlock,
  build: (inputs: number, norms: number, add: Build) => () => BuiltGraph,
): DecoderStage {
  const { name, inputs, outputs, upsampler } = block
  const enlarged = build(inputs, 0, (model, x) => ({ value: enlarge(model, x, block), channels: inputs }))
  const middle = build(inputs, 1, (model, x, [statistics]) => ({
    value: beginResidualBlock(model, enlarge(model, x, block), name, inputs, outputs, statistics),
    channels: outputs,
  }))
  return {
    inputs,
    outputs,
    scale: upsampler === undefined ? 1 : 2,
    measured: [
      ...(upsampler === undefined ? [] : [{ graph: enlarged, channels: inputs }]),
      { graph: middle, channels: outputs },
    ],
    result: build(inputs, 2, (model, x, statistics) => ({
      value: enlargeAndRefine(model, x, block, statistics),
      channels: outputs,
    })),
  }
}
