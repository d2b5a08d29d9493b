import { join } from 'node:path'
import { throwIfAborted } from '../../errors/aborted-by.ts'
import { ModelFormatError } from '../../errors/index.ts'
import { BLOCKS_FOR_ROUGH, type QuantizationConfig, type TensorFormat } from '../configs/quantization-config.ts'
import type { ModelFiles, WeightFile } from '../files/model-files.ts'
import { decodeFloats, isFloatType } from '../weights/decode-floats.ts'
import type { TensorPlan } from '../weights/safetensors-layout.ts'
import { SafetensorsWriter } from '../weights/safetensors-writer.ts'
import { readSlices } from '../weights/tensor-slices.ts'
import type { TensorEntry, WeightIndex } from '../weights/weight-index.ts'
import { isMatrix } from './is-matrix.ts'
import type { QuantizedRows } from './quantize-rows.ts'
import type { SliceQuantizer } from './slice-quantizer.ts'

export interface WriteQuantizedOptions {
  /** Has the files that the index names. */
  readonly source: ModelFiles
  /** Names of the tensors to quantise. */
  readonly matrices: RegExp
  readonly bits: QuantizationConfig['bits']
  readonly blockSize: QuantizationConfig['block_size']
  /** Names of those that are too rough in whole rows and stay in blocks. @defaultValue none */
  readonly rough?: ReadonlySet<string>
  readonly quantizer: SliceQuantizer
  /** What errors say that a file is in. */
  readonly folder: string
  readonly signal?: AbortSignal | undefined
  /** Called after each step with the bytes that were read in it. */
  onBytes?(bytes: number): void
}

/** A slice of a matrix that is being quantised. */
interface Step {
  readonly name: string
  readonly entry: TensorEntry
  readonly bytes: number
  readonly rows: Promise<QuantizedRows | undefined>
}

/**
 * Writes the tensors of an index into one file of safetensors, matrices quantised. The file is the same however many threads
 * take part.
 *
 * @throws ModelFormatError naming a tensor that is not finite
 * @throws AbortedError
 */
export async function writeQuantized(
  path: string,
  weights: WeightIndex,
  options: WriteQuantizedOptions,
): Promise<void> {
  const plans = weights.names.flatMap((name) => planTensor(name, weights.get(name)!, options))
  const writer = await SafetensorsWriter.create(path, plans, weights.metadata)
  try {
    await writeTensors(writer, weights, options)
  } finally {
    await writer.close()
  }
}

async function writeTensors(
  writer: SafetensorsWriter,
  { names, get }: WeightIndex,
  options: WriteQuantizedOptions,
): Promise<void> {
  const { source, quantizer, signal } = options
  const opened = new Map<string, WeightFile | undefined>()
  const steps: Step[] = []
  for (const name of names) {
    const entry = get(name)!
    if (!opened.has(entry.file)) opened.set(entry.file, await source.findWeights(entry.file))
    for await (const slice of readSlices(opened.get(entry.file)!, entry)) {
      throwIfAborted(signal)
      if (!isMatrix(name, entry, options.matrices)) {
        if (isVector(entry) && !decodeFloats(slice, entry.dtype).every(Number.isFinite))
          throw notFinite(name, entry, options)
        await writer.append(name, slice)
        options.onBytes?.(slice.length)
        continue
      }
      steps.push(startStep(name, entry, slice, options))
      if (steps.length >= quantizer.capacity) await finishStep(writer, steps.shift()!, options)
    }
  }
  for (const step of steps) await finishStep(writer, step, options)
}

function startStep(name: string, entry: TensorEntry, bytes: Uint8Array, options: WriteQuantizedOptions): Step {
  const { bits, block_size: blockSize } = chooseFormat(name, options)
  const rows = options.quantizer.quantize({ bytes, dtype: entry.dtype, width: entry.shape[1]!, bits, blockSize })
  // Whoever waits for it hears of a failure; nobody does after another step has failed.
  rows.catch(() => {})
  return { name, entry, bytes: bytes.length, rows }
}

/** Steps are finished in the order of their start, in which the parts of a tensor have to be written. */
async function finishStep(
  writer: SafetensorsWriter,
  { name, entry, bytes, rows }: Step,
  options: WriteQuantizedOptions,
): Promise<void> {
  const quantized = await rows
  if (quantized === undefined) throw notFinite(name, entry, options)
  await writer.append(name, quantized.values)
  await writer.append(`${name}.scales`, quantized.scales)
  options.onBytes?.(bytes)
}

/**
 * Scales of norms and biases. A NaN among them is lost where the quantised model multiplies whole numbers, so its answers would
 * look like any others.
 */
function isVector({ shape, dtype }: TensorEntry): boolean {
  return shape.length === 1 && isFloatType(dtype)
}

function notFinite(name: string, { file }: TensorEntry, { folder }: WriteQuantizedOptions): ModelFormatError {
  return new ModelFormatError(join(folder, file), `finite values in ${name}`, 'NaN or infinity')
}

type Format = Pick<WriteQuantizedOptions, 'matrices' | 'bits' | 'blockSize' | 'rough'>

function chooseFormat(name: string, { bits, blockSize, rough }: Format): TensorFormat {
  return rough?.has(name) ? BLOCKS_FOR_ROUGH : { bits, block_size: blockSize }
}

function planTensor(name: string, entry: TensorEntry, format: Format): TensorPlan[] {
  if (!isMatrix(name, entry, format.matrices)) return [{ name, dtype: entry.dtype, shape: entry.shape }]
  return planMatrix(name, entry.shape, chooseFormat(name, format))
}

/** What stands in a file for a matrix in that format. */
export function planMatrix(
  name: string,
  shape: readonly number[],
  { bits, block_size: blockSize }: { readonly bits: number; readonly block_size: number | 'row' },
): TensorPlan[] {
  const [rows, width] = shape as [number, number]
  if (blockSize === 'row') {
    return [
      { name, dtype: 'I8', shape: [rows, width] },
      { name: `${name}.scales`, dtype: 'F32', shape: [rows] },
    ]
  }
  const blocks = Math.ceil(width / blockSize)
  return [
    { name, dtype: 'U8', shape: [rows, blocks, (blockSize * bits) / 8] },
    { name: `${name}.scales`, dtype: 'F32', shape: [rows, blocks] },
  ]
}
