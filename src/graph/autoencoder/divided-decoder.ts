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
  /** The input of the second normalisation; in front of it, where the picture is doubled, that of the first one. */
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
  const { out_channels: outputs, norm_num_groups: groups } = config
  const inputs = blocks.at(-1)!.outputs
  const end: Compute = (model, x, [statistics]) => endDecoding(model, x, blocks, statistics)
  return {
    groups,
    begin() {
      const { model, readLatents } = start()
      let x = beginDecoding(model, readLatents(), blocks)
      for (const block of whole) x = enlargeAndRefine(model, x, block)
      model.g.output('features', x, 'float32', [1, whole.at(-1)!.outputs, 'height', 'width'])
      return model.g.build(model.weights.folder)
    },
    stages: [
      ...blocks.slice(whole.length).map((block) => describeStage(block, start)),
      {
        inputs,
        outputs,
        scale: 1,
        measured: [],
        result: () => buildStage(start().model, { inputs, outputs, norms: 1 }, end),
      },
    ],
  }
}

/** The computation of a stage on its features, given the statistics of the norms that it contains. */
type Compute = (model: AutoencoderModel, x: Value, statistics: readonly GivenStatistics[]) => Value

interface StageShape {
  readonly inputs: number
  readonly outputs: number
  readonly norms: 0 | 1 | 2
}

/** @param model of a new graph */
function buildStage(model: AutoencoderModel, { inputs, outputs, norms }: StageShape, compute: Compute): BuiltGraph {
  const { g, config } = model
  const features = g.input('features', 'float32', [1, inputs, 'height', 'width'])
  const statistics = Array.from({ length: norms }, (_, i) => ({
    mean: g.input(`mean_${i}`, 'float32', [config.norm_num_groups]),
    variance: g.input(`variance_${i}`, 'float32', [config.norm_num_groups]),
  }))
  const result = compute(model, features, statistics)
  g.output('result', result, 'float32', [1, outputs, 'result_height', 'result_width'])
  return g.build(model.weights.folder)
}

/** The stage of one residual block, with the doubling in front of it. */
function describeStage(block: DecoderBlock, start: () => StartedDecoder): DecoderStage {
  const { name, inputs, outputs, upsampler } = block
  const double: Compute = (model, x) => enlarge(model, x, block)
  const begin: Compute = (model, x, [statistics]) =>
    beginResidualBlock(model, enlarge(model, x, block), name, inputs, outputs, statistics)
  const refine: Compute = (model, x, statistics) => enlargeAndRefine(model, x, block, statistics)
  const doubled = {
    graph: () => buildStage(start().model, { inputs, outputs: inputs, norms: 0 }, double),
    channels: inputs,
  }
  const begun = { graph: () => buildStage(start().model, { inputs, outputs, norms: 1 }, begin), channels: outputs }
  return {
    inputs,
    outputs,
    scale: upsampler === undefined ? 1 : 2,
    measured: upsampler === undefined ? [begun] : [doubled, begun],
    result: () => buildStage(start().model, { inputs, outputs, norms: 2 }, refine),
  }
}
