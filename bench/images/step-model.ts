import type { Backend, Tensor } from '../../src/backends/index.ts'
import { openFlux2Denoiser } from '../../src/images/flux2/flux2-denoiser.ts'
import { readPart } from '../../src/images/read-part.ts'
import type { Predict } from '../../src/images/sampling/predict.ts'
import { openZImageDenoiser } from '../../src/images/z-image/z-image-denoiser.ts'
import { flux2ConfigSchema } from '../../src/models/configs/flux2-config.ts'
import { zImageConfigSchema } from '../../src/models/configs/z-image-config.ts'
import { openFolder } from '../../src/models/index.ts'
import { FLUX2_MID } from '../models/flux2-shape.ts'
import type { RandomModel } from '../models/random-checkpoint.ts'
import { Z_IMAGE_MID } from '../models/z-image-shape.ts'

/** Tokens of text, on every side. */
export const TEXT_TOKENS = 64
/** Pixels on the side of one token of the transformer. */
const TOKEN = 16

const FREE = { turn: async () => {} }

/** A transformer of the library, ready to predict for a picture of `side` pixels. */
export interface StepModel {
  predict(): Promise<Float32Array>
  dispose(): Promise<void>
}

export interface Family {
  readonly kind: 'flux2' | 'z-image'
  readonly model: RandomModel
  open(backend: Backend, folder: string, side: number): Promise<StepModel>
  /** Multiplications and additions of one step, in 10⁹. */
  countWork(side: number): number
}

export const FAMILIES: readonly Family[] = [
  {
    kind: 'flux2',
    model: FLUX2_MID,
    open: openFlux2Step,
    countWork: (side) =>
      count(FLUX2_MID, side, (name) => {
        if (/^context_embedder|add_|ff_context/.test(name)) return 'text'
        if (name.startsWith('single_transformer')) return 'both'
        return /modulation|time_guidance|norm_out/.test(name) ? 'once' : 'picture'
      }),
  },
  {
    kind: 'z-image',
    model: Z_IMAGE_MID,
    async open(backend, folder, side) {
      const part = await readPart(openFolder(folder), zImageConfigSchema, 'a Z-Image transformer')
      const denoiser = await openZImageDenoiser(backend, part)
      const grid = { height: side / TOKEN, width: side / TOKEN }
      const predict = await denoiser.begin(wave(TEXT_TOKENS, part.config.cap_feat_dim), grid, FREE)
      return stepModel(denoiser, predict, grid.height * grid.width * 4 * part.config.in_channels)
    },
    countWork: (side) =>
      count(Z_IMAGE_MID, side, (name) => {
        if (/^(cap_|context_)/.test(name)) return 'never'
        if (/adaLN|t_embedder/.test(name)) return 'once'
        return name.startsWith('layers') ? 'both' : 'picture'
      }),
  },
]

/** A FLUX.2 transformer of any size. */
export async function openFlux2Step(backend: Backend, folder: string, side: number): Promise<StepModel> {
  const part = await readPart(openFolder(folder), flux2ConfigSchema, 'a FLUX.2 transformer')
  const denoiser = await openFlux2Denoiser(backend, part)
  const grid = { height: side / TOKEN, width: side / TOKEN }
  const predict = denoiser.begin(wave(TEXT_TOKENS, part.config.joint_attention_dim), grid, [], FREE)
  return stepModel(denoiser, predict, grid.height * grid.width * part.config.in_channels)
}

function stepModel(denoiser: { dispose(): Promise<void> }, predict: Predict, values: number): StepModel {
  const { data } = wave(1, values)
  return { predict: () => predict(data as Float32Array, 0.5), dispose: () => denoiser.dispose() }
}

function wave(rows: number, width: number): Tensor {
  const data = Float32Array.from({ length: rows * width }, (_, i) => Math.sin(i * 1.7))
  return { type: 'float32', dims: [rows, width], data }
}

type Rows = 'text' | 'picture' | 'both' | 'once' | 'never'

/** Twice the weights for each row they meet, and the attention of every block over all rows that it joins. */
function count({ shapes }: RandomModel, side: number, rowsOf: (name: string) => Rows): number {
  const picture = (side / TOKEN) ** 2
  const rows = { text: TEXT_TOKENS, picture, both: TEXT_TOKENS + picture, once: 1, never: 0 }
  let operations = 0
  for (const [name, shape] of Object.entries(shapes)) {
    if (shape.length !== 2) continue
    const [outputs, inputs] = shape as [number, number]
    operations += 2 * outputs * inputs * rows[rowsOf(name)]
    // One query matrix a block stands for its attention; scores and weighted values cost 2 · rows² · width each.
    if (/(attention\.to_q|attn\.to_q|to_qkv_mlp_proj)/.test(name)) {
      const joined = name.startsWith('noise_refiner') ? rows.picture : rows.both
      if (!name.startsWith('context_refiner')) operations += 4 * joined ** 2 * inputs
    }
  }
  return operations / 1e9
}
