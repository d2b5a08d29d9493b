import type { RandomModel } from './random-checkpoint.ts'
import type { Shapes } from './write-random-weights.ts'
import { affine, modulated } from './z-image-shape.ts'

const HEAD = 128
/** Channels of the latents of the control, of a mask and of what it leaves. */
const CONTROL_CHANNELS = 33

export interface ZImageControlSize {
  /** Of 128 channels each, as many as the transformer has. */
  readonly heads: number
  /** Layers, each of which adds something to every second one of the transformer. */
  readonly layers: number
  readonly refiners: number
}

/** A ControlNet of Z-Image with refiners of its own; the published one ("Union 2.1") has 30 heads, 15 layers and 2 refiners. */
export function zImageControl(name: string, { heads, layers, refiners }: ZImageControlSize): RandomModel {
  const width = heads * HEAD
  const blocks = (stem: string, count: number) => Array.from({ length: count }, (_, i) => block(stem, i, width))
  return {
    name,
    config: {
      _class_name: 'ZImageControlNetModel',
      all_patch_size: [2],
      all_f_patch_size: [1],
      control_in_dim: CONTROL_CHANNELS,
      add_control_noise_refiner: 'control_noise_refiner',
      control_layers_places: Array.from({ length: layers }, (_, i) => 2 * i),
      control_refiner_layers_places: Array.from({ length: refiners }, (_, i) => i),
      dim: width,
      n_refiner_layers: refiners,
      n_heads: heads,
      n_kv_heads: heads,
      norm_eps: 1e-5,
      qk_norm: true,
    },
    shapes: Object.assign(
      affine('control_all_x_embedder.2-1', width, 4 * CONTROL_CHANNELS),
      ...blocks('control_noise_refiner', refiners),
      ...blocks('control_layers', layers),
    ) as Shapes,
  }
}

/** A block, and what is added of it; the first begins with the sum of control and picture. */
function block(stem: string, index: number, width: number): Shapes {
  const name = `${stem}.${index}`
  return {
    ...modulated(name, width),
    ...(index === 0 && affine(`${name}.before_proj`, width, width)),
    ...affine(`${name}.after_proj`, width, width),
  }
}
