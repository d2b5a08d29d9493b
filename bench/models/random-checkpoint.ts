import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { quantizeWeights } from '../../src/models/index.ts'
import { SafetensorsWriter } from '../../src/models/safetensors-writer.ts'

/** Names and shapes of all tensors of a model. */
export type Shapes = Readonly<Record<string, readonly number[]>>

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
  if (
    await access(folder).then(
      () => true,
      () => false,
    )
  )
    return folder
  if (precision === 'float32') await writeFloats(folder, model)
  else {
    const source = await provideRandomModel(model, 'float32')
    await quantizeWeights({ folder: source, out: folder, ...FORMATS[precision] })
  }
  return folder
}

async function writeFloats(folder: string, { config, shapes, files = {} }: RandomModel): Promise<void> {
  const draft = `${folder}.draft`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true })
  for (const [name, text] of Object.entries({ ...files, 'config.json': JSON.stringify(config) })) {
    await writeFile(join(draft, name), text)
  }
  const plans = Object.entries(shapes).map(([name, shape]) => ({ name, dtype: 'F32' as const, shape }))
  const writer = await SafetensorsWriter.create(join(draft, 'model.safetensors'), plans, {})
  for (const { name, shape } of plans) await writer.append(name, drawTensor(name, shape))
  await writer.close()
  await rename(draft, folder)
}

/** Ones for gains and variances, zeros for biases and means, else values that keep the size of what they multiply. */
function drawTensor(name: string, shape: readonly number[]): Float32Array {
  const values = new Float32Array(shape.reduce((product, dim) => product * dim, 1))
  if (shape.length === 1) return values.fill(name.endsWith('bias') || name.endsWith('mean') ? 0 : 1)
  const inputs = values.length / (shape[0] as number)
  const spread = Math.sqrt(3 / inputs)
  let state = 0x9e3779b9 ^ values.length
  for (let i = 0; i < values.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    values[i] = (state / 2 ** 31) * spread
  }
  return values
}
