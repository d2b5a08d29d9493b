import type { ZImageControlConfig } from '../../models/configs/z-image-control-config.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import { type BuiltGraph, withRun } from '../../onnx/built-graph.ts'
import type { Value } from '../../onnx/graph-builder.ts'
import { add, mul } from '../../onnx/ops/elementwise.ts'
import { concat, countRows, dropRows, unsqueeze } from '../../onnx/ops/shape.ts'
import type { RotaryValues } from '../layers/full-attention.ts'
import { affine, linear } from '../layers/linear.ts'
import { endBlock, narrow, narrowShrunk, widen } from '../layers/precision.ts'
import { startGraph, type TransformerOptions } from '../layers/start-graph.ts'
import { floatWeight } from '../layers/weights.ts'
import { blockMemory, zImageBlock, type ZImageBlockModel } from './z-image-block.ts'
import { declareRotary, declareTime, joinRotary, PATCH_KEY } from './z-image-parts.ts'

/** Z-Image's ControlNet. Of the noisy picture it sees what the transformer's own start and refiner make, so it has no weights of these. */
export interface ZImageControl {
  /**
   * Inputs `control` [N, 4 · control_in_dim], `x` [Np, dim] and `time` as the start of the transformer gives them, `cos`, `sin`
   * [Np, headSize / 2] and `scale` [1], as far as they are read. Outputs `context` [Np, dim] and, where blocks of its own join control and noisy picture
   * here, `hints` [blocks, Np, dim] for the refiner of the transformer.
   */
  readonly reader: BuiltGraph
  /**
   * Inputs `context` [Np, dim], `x` [Np, dim] as refined, `time`, `caption` [Lp, dim], which may have no row, `cos`, `sin`,
   * `caption_cos`, `caption_sin` and `scale` [1]. Outputs `hints` [layers, Np + Lp, dim] and `joined` [Np + Lp, dim], what the last layer makes.
   */
  readonly layers: BuiltGraph
}

/** Bytes for each token of a picture of what a step with a ControlNet takes beside the transformer's own blocks. */
interface ControlMemory {
  /** What runs hold, which each session keeps for the next one. */
  readonly reader: number
  readonly layers: number
  /** What is handed over to the transformer. */
  readonly hints: number
}

export function controlMemory(config: ZImageControlConfig): ControlMemory {
  const { control_layers_places: layers, control_refiner_layers_places: refiner } = config
  const reader = config.add_control_noise_refiner === 'control_layers' ? 0 : readerMemory(config)
  return { reader, layers: layersMemory(config), hints: hintsMemory(config, layers.length + (refiner?.length ?? 0)) }
}

function readerMemory(config: ZImageControlConfig): number {
  const { n_refiner_layers: count, add_control_noise_refiner: refines } = config
  return blockMemory(config) + (refines ? 2 * hintsMemory(config, count) : 0)
}

function layersMemory(config: ZImageControlConfig): number {
  return blockMemory(config) + 2 * hintsMemory(config, config.control_layers_places.length)
}

/** What so many blocks add; in the run that makes it, it is there once apart and once together. */
function hintsMemory({ dim }: ZImageControlConfig, blocks: number): number {
  return blocks * dim * Float32Array.BYTES_PER_ELEMENT
}

type ControlModel = ZImageBlockModel & { readonly config: ZImageControlConfig }

/** @throws ModelFormatError when a tensor is missing or not of the shape the configuration asks for */
export function buildZImageControl(
  config: ZImageControlConfig,
  weights: WeightIndex,
  options: TransformerOptions,
): ZImageControl {
  const start = (name: string) => startGraph(`z_image_control_${name}`, config, weights, options)
  return { reader: buildReader(start('reader')), layers: buildLayers(start('layers')) }
}

function buildReader(model: ControlModel): BuiltGraph {
  const { g, config, weights } = model
  const { dim, n_refiner_layers: count, add_control_noise_refiner: refines } = config
  const patch = 4 * config.control_in_dim
  const tokens = g.input('control', 'float32', ['tokens', patch])
  const x = g.input('x', 'float32', ['padded_tokens', dim])
  const embedded = affine(model, narrow(model, tokens), `control_all_x_embedder.${PATCH_KEY}`, dim, patch)
  // The padding of both is the same learned token.
  let context = concat(g, [widen(model, embedded), dropRows(g, x, countRows(g, tokens))], 0)
  if (refines !== 'control_layers') {
    const inputs = { rotary: declareRotary(model, '', 'padded_tokens'), timestep: declareTime(model) }
    if (refines === 'control_noise_refiner') {
      const blocks = { ...inputs, stem: 'control_noise_refiner', count, scale: declareScale(model) }
      const joined = joinBlocks(model, context, x, blocks)
      g.output('hints', joined.hints, 'float32', [count, 'padded_tokens', dim])
      context = joined.context
    } else {
      for (let i = 0; i < count; i++) {
        context = zImageBlock(model, context, `control_noise_refiner.${i}`, inputs.rotary, inputs.timestep)
      }
    }
  }
  g.output('context', context, 'float32', ['padded_tokens', dim])
  const graph = g.build(weights.folder)
  return refines === 'control_layers' ? graph : withRun(graph, { input: 'x', bytes: readerMemory(config) / dim })
}

function buildLayers(model: ControlModel): BuiltGraph {
  const { g, config, weights } = model
  const { dim } = config
  const count = config.control_layers_places.length
  const rows = (name: string, length: string) => g.input(name, 'float32', [length, dim])
  const [context, x] = [rows('context', 'padded_tokens'), rows('x', 'padded_tokens')]
  const caption = rows('caption', 'padded_caption')
  const picture = declareRotary(model, '', 'padded_tokens')
  const rotary = joinRotary(model, picture, declareRotary(model, 'caption_', 'padded_caption'))
  const blocks = { stem: 'control_layers', count, rotary, timestep: declareTime(model), scale: declareScale(model) }
  const withCaption = (values: Value) => concat(g, [values, caption], 0)
  const joined = joinBlocks(model, withCaption(context), withCaption(x), blocks)
  g.output('hints', joined.hints, 'float32', [count, 'rows', dim])
  g.output('joined', joined.context, 'float32', ['rows', dim])
  return withRun(g.build(weights.folder), { input: 'x', bytes: layersMemory(config) / dim })
}

interface ControlBlocks {
  readonly stem: string
  readonly count: number
  readonly rotary: RotaryValues
  readonly timestep: Value
  readonly scale: Value
}

/** Blocks that begin with the sum of control and picture; what each adds to a block of the transformer comes of what it makes. */
function joinBlocks(model: ControlModel, control: Value, x: Value, blocks: ControlBlocks) {
  const { g } = model
  const { stem, rotary, timestep, scale } = blocks
  let context = add(g, project(model, control, `${stem}.0.before_proj`), x)
  const hints: Value[] = []
  for (let i = 0; i < blocks.count; i++) {
    context = zImageBlock(model, context, `${stem}.${i}`, rotary, timestep)
    hints.push(unsqueeze(g, mul(g, project(model, context, `${stem}.${i}.after_proj`), scale), 0))
  }
  return { hints: concat(g, hints, 0), context }
}

/** A product of rows that blocks have added to, as float32. */
function project(model: ControlModel, x: Value, name: string): Value {
  const { g, config } = model
  const { dim } = config
  const product = endBlock(model, linear(model, narrowShrunk(model, x), `${name}.weight`, dim, dim))
  return add(g, product, floatWeight(model, `${name}.bias`, [dim]))
}

function declareScale({ g }: ControlModel): Value {
  return g.input('scale', 'float32', [1])
}
