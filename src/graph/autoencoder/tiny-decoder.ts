import type { AutoencoderTinyConfig } from '../../models/configs/autoencoder-tiny-config.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import type { BuiltGraph } from '../../onnx/built-graph.ts'
import type { GraphBuilder, Value } from '../../onnx/graph-builder.ts'
import { add, mul, relu, sub, tanh } from '../../onnx/ops/elementwise.ts'
import { startGraph } from '../layers/start-graph.ts'
import type { GraphContext } from '../layers/weights.ts'
import { convolution } from './autoencoder-block.ts'
import { doubleAndConvolve } from './double-and-convolve.ts'

/** Latents beyond this are bent back, as they are in training. */
const RANGE = 3

/**
 * The decoder of an AutoencoderTiny (TAESD and its relatives).
 *
 * Input: `latents` float32 [1, latent_channels, h, w], as the transformer makes them. Output: `image` float32
 * [1, 3, H, W], about -1 to 1, with sides 2^(levels - 1) times as large.
 *
 * @throws ModelFormatError when a tensor is missing or not of the shape the configuration asks for
 */
export function buildTinyDecoder(config: AutoencoderTinyConfig, weights: WeightIndex): BuiltGraph {
  const model = startGraph('autoencoder_tiny_decoder', config, weights, { linear: 'float' })
  const { g } = model
  const { num_decoder_blocks: levels, latent_channels: inputs, out_channels: outputs } = config
  const channels = config.decoder_block_out_channels[0]!
  // The layers are stored as one numbered list, in which activations and doublings have numbers too.
  const name = (layer: number) => `decoder.layers.${layer}`
  let layer = 2
  const begun = convolution(model, readLatents(g, config), name(0), { inputs, outputs: channels, kernel: 3 })
  let x = relu(g, begun)
  for (const [level, blocks] of levels.entries()) {
    if (level > 0) {
      x = doubleAndConvolve(model, x, name(layer + 1), channels, { biased: false })
      layer += 2
    }
    for (let block = 0; block < blocks; block++) x = residualBlock(model, x, name(layer++), channels)
  }
  const colours = convolution(model, x, name(layer), { inputs: channels, outputs, kernel: 3 })
  const image = sub(g, mul(g, colours, g.scalar(2, 'float32')), g.scalar(1, 'float32'))
  g.output('image', image, 'float32', [1, outputs, 'height', 'width'])
  return g.build(weights.folder)
}

function readLatents(g: GraphBuilder, config: AutoencoderTinyConfig): Value {
  const latents = g.input('latents', 'float32', [1, config.latent_channels, 'latent_height', 'latent_width'])
  const scaled = mul(g, latents, g.scalar(1 / config.scaling_factor, 'float32'))
  const shifted = add(g, scaled, g.scalar(config.shift_factor, 'float32'))
  return mul(g, tanh(g, mul(g, shifted, g.scalar(1 / RANGE, 'float32'))), g.scalar(RANGE, 'float32'))
}

/** Three convolutions, and around them the input. */
function residualBlock(model: GraphContext, x: Value, name: string, channels: number): Value {
  const { g } = model
  const step = (value: Value, part: number) =>
    convolution(model, value, `${name}.conv.${part}`, { inputs: channels, outputs: channels, kernel: 3 })
  return relu(g, add(g, step(relu(g, step(relu(g, step(x, 0)), 2)), 4), x))
}
