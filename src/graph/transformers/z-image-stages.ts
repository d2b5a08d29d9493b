import type { ZImageConfig } from '../../models/configs/z-image-config.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import { type BuiltGraph, withRun } from '../../onnx/built-graph.ts'
import { countRows } from '../../onnx/ops/shape.ts'
import { widen } from '../layers/precision.ts'
import { startGraph, type TransformerOptions } from '../layers/start-graph.ts'
import { blockMemory, modulationWidth } from './z-image-block.ts'
import {
  declareRotary,
  declareTime,
  embedTimestep,
  embedTokens,
  type Hints,
  joinRotary,
  predict,
  refineNoise,
  type ZImageModel,
} from './z-image-parts.ts'

/** After which blocks a ControlNet adds something. */
export interface HintPlaces {
  readonly refiner: readonly number[]
  readonly layers: readonly number[]
}

/** What {@link buildZImageTransformer} does in one graph, in the three between which a ControlNet works. */
export interface ZImageStages {
  /** Inputs `tokens`, `token_rows`, `timestep`; outputs `x` [Np, dim] and `time` [1, modulationWidth], which the others take. */
  readonly start: BuiltGraph
  /** Inputs `x`, `time`, `cos`, `sin` and, where there are places, `hints` [places, Np or 1, dim]; output `refined` [Np, dim]. */
  readonly refiner: BuiltGraph
  /**
   * Inputs `refined`, `time`, `caption`, `cos`, `sin`, `caption_cos`, `caption_sin` and `hints` [places, Np + Lp or 1, dim]; output
   * `prediction` [Np, 4 · in_channels], that of padding after the others.
   */
  readonly layers: BuiltGraph
}

/** @throws ModelFormatError when a tensor is missing or not of the shape the configuration asks for */
export function buildZImageStages(
  config: ZImageConfig,
  weights: WeightIndex,
  places: HintPlaces,
  options: TransformerOptions,
): ZImageStages {
  const start = (name: string) => startGraph(`z_image_${name}`, config, weights, options)
  return {
    start: buildStart(start('start')),
    refiner: buildRefiner(start('refiner'), places.refiner),
    layers: buildLayers(start('layers'), places.layers),
  }
}

function buildStart(model: ZImageModel): BuiltGraph {
  const { g, config, weights } = model
  g.output('x', embedTokens(model).rows, 'float32', ['padded_tokens', config.dim])
  g.output('time', widen(model, embedTimestep(model)), 'float32', [1, modulationWidth(config)])
  return g.build(weights.folder)
}

function buildRefiner(model: ZImageModel, places: readonly number[]): BuiltGraph {
  const { g, config, weights } = model
  const x = g.input('x', 'float32', ['padded_tokens', config.dim])
  const time = declareTime(model)
  const rotary = declareRotary(model, '', 'padded_tokens')
  const refined = refineNoise(model, x, rotary, time, declareHints(model, places))
  g.output('refined', refined, 'float32', ['padded_tokens', config.dim])
  return withRun(g.build(weights.folder), { input: 'x', bytes: blockMemory(config) / config.dim })
}

function buildLayers(model: ZImageModel, places: readonly number[]): BuiltGraph {
  const { g, config, weights } = model
  const picture = g.input('refined', 'float32', ['padded_tokens', config.dim])
  const timestep = declareTime(model)
  const caption = g.input('caption', 'float32', ['padded_caption', config.dim])
  const ofPicture = declareRotary(model, '', 'padded_tokens')
  const rotary = joinRotary(model, ofPicture, declareRotary(model, 'caption_', 'padded_caption'))
  const rows = { picture, caption, rotary, timestep, hints: declareHints(model, places) }
  const prediction = predict(model, rows, countRows(g, picture))
  g.output('prediction', prediction, 'float32', ['padded_tokens', 4 * config.in_channels])
  return withRun(g.build(weights.folder), { input: 'refined', bytes: blockMemory(config) / config.dim })
}

function declareHints({ g, config }: ZImageModel, places: readonly number[]): Hints | undefined {
  if (places.length === 0) return undefined
  return { values: g.input('hints', 'float32', [places.length, 'hint_rows', config.dim]), places }
}
