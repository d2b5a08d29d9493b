import { readFileSync } from 'node:fs'
import { E4M3 } from '../../src/models/fp8/decode-fp8.ts'
import type { TensorPlan } from '../../src/models/weights/safetensors-layout.ts'
import { SafetensorsWriter } from '../../src/models/weights/safetensors-writer.ts'
import type { WeightIndex } from '../../src/models/weights/weight-index.ts'
import { imageFixture } from './image-bundle.ts'
import { readFloats } from './read-tensor.ts'

export type SingleFileBundle = 'z-image-turbo' | 'klein-distilled'
export type SingleFilePart = 'transformer' | 'vae'

export interface PlainTensor {
  readonly shape: readonly number[]
  readonly values: Float32Array
}
export type PlainTensors = Map<string, PlainTensor>

/** See generate-single-file-fixtures.py. */
interface Description {
  readonly stored: Readonly<Record<string, readonly number[]>>
  readonly targets: Readonly<
    Record<string, string | readonly (readonly [source: string, first: number, rows: number])[]>
  >
}

function describe(bundle: SingleFileBundle, part: SingleFilePart): Description {
  const text = readFileSync(imageFixture('single-files.json'), 'utf8')
  return (JSON.parse(text) as Record<string, Record<string, Description>>)[bundle]![part]!
}

const count = (shape: readonly number[]) => shape.reduce((all, dim) => all * dim, 1)
/** A BatchNorm counts batches in 64 bits. */
const isCounter = (name: string) => name.endsWith('num_batches_tracked')

/** What the file of the authors has where a bundle of diffusers has these weights. */
export function toSingleFile(bundle: SingleFileBundle, part: SingleFilePart, weights: WeightIndex): PlainTensors {
  const { stored, targets } = describe(bundle, part)
  const tensors: PlainTensors = new Map(
    Object.entries(stored).map(([name, shape]) => [name, { shape, values: new Float32Array(count(shape)) }]),
  )
  for (const [name, taken] of Object.entries(targets)) {
    if (isCounter(name)) continue
    const values = readFloats(weights, name)
    if (typeof taken === 'string') {
      tensors.get(taken)!.values.set(values)
      continue
    }
    let row = 0
    for (const [source, first, rows] of taken) {
      const { shape, values: all } = tensors.get(source)!
      const width = count(shape.slice(1))
      all.set(values.subarray(row * width, (row + rows) * width), first * width)
      row += rows
    }
  }
  return tensors
}

/** What diffusers makes of such a file. */
export function toDiffusers(bundle: SingleFileBundle, part: SingleFilePart, tensors: PlainTensors): PlainTensors {
  const converted: PlainTensors = new Map()
  for (const [name, taken] of Object.entries(describe(bundle, part).targets)) {
    const runs = typeof taken === 'string' ? [[taken, 0, tensors.get(taken)!.shape[0] ?? 1] as const] : taken
    const { shape } = tensors.get(runs[0]![0])!
    const width = count(shape.slice(1))
    const rows = runs.reduce((all, [, , length]) => all + length, 0)
    const values = new Float32Array(rows * width)
    let row = 0
    for (const [source, first, length] of runs) {
      const all = tensors.get(source)!.values
      values.set(all.subarray(first * width, (first + length) * width), row * width)
      row += length
    }
    // Products of attention are convolutions in such files; a number alone has no axes.
    const isProduct = part === 'vae' && /\.to_(?:[qkv]|out\.0)\.weight$/.test(name)
    converted.set(name, {
      shape: shape.length === 0 ? [] : [rows, ...(isProduct ? [shape[1]!] : shape.slice(1))],
      values,
    })
  }
  return converted
}

/** Numbers in FP8 with a scale, and what they are then. */
export function roundToFp8({ shape, values }: PlainTensor): { bytes: Uint8Array; scale: number; rounded: PlainTensor } {
  const scale = Math.fround(values.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-6) / 448)
  const bytes = Uint8Array.from(values, (value) => nearest(value / scale))
  return { bytes, scale, rounded: { shape, values: Float32Array.from(bytes, (byte) => E4M3[byte]! * scale) } }
}

/** Positive numbers in the order of their bytes, without the last, which is none. */
const POSITIVE = E4M3.subarray(0, 127)

function nearest(value: number): number {
  let [low, high] = [0, POSITIVE.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (POSITIVE[middle]! < Math.abs(value)) low = middle + 1
    else high = middle
  }
  return low | (value < 0 ? 0x80 : 0)
}

export interface Written extends TensorPlan {
  readonly data: ArrayBufferView
}

export async function writeTensors(
  path: string,
  tensors: readonly Written[],
  metadata: Readonly<Record<string, string>> = {},
): Promise<void> {
  const writer = await SafetensorsWriter.create(path, tensors, metadata)
  for (const { name, data } of tensors) await writer.append(name, data)
  await writer.close()
}

export function asFloats(tensors: PlainTensors): Written[] {
  return Array.from(tensors, ([name, { shape, values }]) =>
    isCounter(name)
      ? { name, dtype: 'I64', shape, data: new BigInt64Array(1) }
      : { name, dtype: 'F32', shape, data: values },
  )
}
