import { join } from 'node:path'
import { throwIfAborted } from '../../errors/aborted-by.ts'
import { ModelFormatError } from '../../errors/index.ts'
import type { WeightFile } from '../files/model-files.ts'
import { readSlices } from '../weights/tensor-slices.ts'
import type { TensorEntry, WeightIndex } from '../weights/weight-index.ts'
import { isMatrix } from './is-matrix.ts'
import { addErrors, NO_ERROR, relativeError, type RoundingError } from './rounding-error.ts'
import type { WriteQuantizedOptions } from './write-quantized.ts'

/** A matrix that whole rows would round too roughly. */
export interface RoughMatrix {
  /** Of its tensor. */
  readonly name: string
  /** What whole rows would do to it, as {@link relativeError}. */
  readonly error: number
}

/**
 * Matrices stay in blocks from this relative error on. Normally distributed weights have 0.007 to 0.0095, by the length of their rows. Of
 * all-MiniLM-L6-v2 the products that end a feed-forward, with channels of 37 times the root of the mean square, have 0.015 to 0.021, all
 * other products less than 0.012.
 */
const ROUGH = 0.0125

type Options = Omit<WriteQuantizedOptions, 'bits' | 'blockSize' | 'rough'>

/** The matrices of an index that are too rough in whole rows, in its order. @throws ModelFormatError, AbortedError */
export async function findRoughMatrices({ names, get }: WeightIndex, options: Options): Promise<RoughMatrix[]> {
  const opened = new Map<string, WeightFile | undefined>()
  const found: RoughMatrix[] = []
  for (const name of names) {
    const entry = get(name)!
    if (!isMatrix(name, entry, options.matrices)) continue
    if (!opened.has(entry.file)) opened.set(entry.file, await options.source.findWeights(entry.file))
    const error = relativeError(await measureMatrix(name, entry, opened.get(entry.file)!, options))
    if (error > ROUGH) found.push({ name, error })
  }
  return found
}

async function measureMatrix(
  name: string,
  entry: TensorEntry,
  file: WeightFile,
  { quantizer, signal, folder, onBytes }: Options,
): Promise<RoundingError> {
  const [width, format] = [entry.shape[1]!, { bits: 8, blockSize: 'row' } as const]
  const waiting: Promise<RoundingError | undefined>[] = []
  let all = NO_ERROR
  const finish = async () => {
    const error = await waiting.shift()
    if (error === undefined)
      throw new ModelFormatError(join(folder, entry.file), `finite values in ${name}`, 'NaN or infinity')
    all = addErrors(all, error)
  }
  for await (const bytes of readSlices(file, entry)) {
    throwIfAborted(signal)
    const error = quantizer.measure({ bytes, dtype: entry.dtype, width, ...format })
    // Whoever waits for it hears of a failure; nobody does after another slice has failed.
    error.catch(() => {})
    waiting.push(error)
    onBytes?.(bytes.length)
    if (waiting.length >= quantizer.capacity) await finish()
  }
  while (waiting.length > 0) await finish()
  return all
}
