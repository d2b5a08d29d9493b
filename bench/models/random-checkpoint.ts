import { exists } from '../../src/models/files/exists.ts'
import { quantizeWeights } from '../../src/models/index.ts'
import { writeRandomFiles } from './write-random-files.ts'
import type { Shapes } from './write-random-weights.ts'

export interface RandomModel {
  readonly name: string
  /** Its `config.json`. */
  readonly config: object
  readonly shapes: Shapes
  /** Other files, by name. */
  readonly files?: Readonly<Record<string, string>>
}

export type Precision = 'float32' | 'int8' | 'int8_rows' | 'int4'

const FORMATS = {
  int8: { bits: 8, blockSize: 128 },
  int8_rows: { bits: 8, blockSize: 'row' },
  int4: { bits: 4, blockSize: 128 },
} as const

/**
 * Folder of a checkpoint with random weights, written once and kept. The integer ones are quantised from the float ones,
 * in blocks of 128 or whole rows, by the library's own means.
 */
export async function provideRandomModel(model: RandomModel, precision: Precision): Promise<string> {
  const folder = `out/bench-models/${model.name}-${precision}`
  if (await exists(folder)) return folder
  if (precision === 'float32') {
    const { config, shapes, files } = model
    const texts = { ...files, 'config.json': JSON.stringify(config) }
    await writeRandomFiles(folder, { texts, weights: { 'model.safetensors': shapes } })
  } else {
    const source = await provideRandomModel(model, 'float32')
    await quantizeWeights({ folder: source, out: folder, ...FORMATS[precision] })
  }
  return folder
}
