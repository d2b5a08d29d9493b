import { randomFillSync } from 'node:crypto'
import { planMatrix } from '../../src/models/quantize/write-quantized.ts'
import type { TensorPlan } from '../../src/models/weights/safetensors-layout.ts'
import { SafetensorsWriter } from '../../src/models/weights/safetensors-writer.ts'

/** Names and shapes of all tensors of a file. */
export type Shapes = Readonly<Record<string, readonly number[]>>

/** How matrices are stored; see `QuantizationConfig`. */
export interface RandomFormat {
  readonly bits: 4 | 8
  readonly block: number | 'row'
}

/** Standard deviation of a random byte, and of a random half of one. */
const SPREAD = { 8: 73.9, 4: 4.61 }

/** Writes a safetensors file of random float32 tensors. */
export async function writeRandomFloats(file: string, shapes: Shapes): Promise<void> {
  const plans = Object.entries(shapes).map(([name, shape]) => ({ name, dtype: 'F32' as const, shape }))
  const writer = await SafetensorsWriter.create(file, plans, {})
  for (const { name, shape } of plans) await writer.append(name, drawTensor(name, shape))
  await writer.close()
}

/**
 * Writes a safetensors file whose matrices are random bytes in that format, without float weights before it. Speed does not depend on the values
 * of weights; answers of such a model mean nothing.
 */
export async function writeRandomBytes(file: string, shapes: Shapes, { bits, block }: RandomFormat): Promise<void> {
  const tensors = Object.entries(shapes)
  const plans = tensors.flatMap(([name, shape]): TensorPlan[] =>
    isMatrix(name, shape) ? planMatrix(name, shape, { bits, block_size: block }) : [{ name, dtype: 'F32', shape }],
  )
  const writer = await SafetensorsWriter.create(file, plans, {})
  for (const [index, [name, shape]] of tensors.entries()) {
    if (!isMatrix(name, shape)) {
      await writer.append(name, drawTensor(name, shape))
      continue
    }
    const [rows, width] = shape as [number, number]
    const scales = new Float32Array(block === 'row' ? rows : rows * Math.ceil(width / block))
    const padded = block === 'row' ? width : Math.ceil(width / block) * block
    await writer.append(name, randomFillSync(new Uint8Array((rows * padded * bits) / 8)))
    await writer.append(`${name}.scales`, scales.fill((1 + index / 1e6) / (SPREAD[bits] * Math.sqrt(width))))
  }
  await writer.close()
}

/** Rows of padding have two axes too. */
function isMatrix(name: string, shape: readonly number[]): boolean {
  return shape.length === 2 && name.endsWith('.weight')
}

/**
 * Ones for gains and variances, zeros for biases and means, else values that keep the size of what they multiply. No two tensors are alike: the
 * runtime keeps those that are only once.
 */
function drawTensor(name: string, shape: readonly number[]): Float32Array {
  const values = new Float32Array(shape.reduce((product, dim) => product * dim, 1))
  if (shape.length === 1) return values.fill(name.endsWith('bias') || name.endsWith('mean') ? 0 : 1)
  const inputs = values.length / (shape[0] as number)
  const spread = Math.sqrt(3 / inputs)
  let state = 0x9e3779b9 ^ values.length
  for (const character of name) state = Math.imul(state ^ character.charCodeAt(0), 16777619)
  for (let i = 0; i < values.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    values[i] = (state / 2 ** 31) * spread
  }
  return values
}
