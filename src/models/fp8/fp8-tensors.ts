import { ModelFormatError } from '../../errors/index.ts'
import { decodeFloats, isFloatType } from '../weights/decode-floats.ts'
import { type MadeTensor, storedTensor } from '../weights/made-weights.ts'
import type { ReadTensor } from '../weights/open-tensors.ts'
import type { TensorEntry, WeightIndex } from '../weights/weight-index.ts'
import { type BlockScales, decodeRows } from './decode-fp8.ts'
import type { Fp8Method } from './fp8-method.ts'

/** What stands in place of `weight` in the name of its scale. All are factors, the one that is called inverse too. */
const SCALES = ['weight_scale', 'weight_scale_inv', 'scale_weight']
/** Scales of inputs, and of the keys and values that others keep in FP8 too. Neither is rounded here. */
const UNUSED_SCALES = ['input_scale', 'scale_input', 'input_scale_ub', 'k_scale', 'v_scale', 'kv_scale', 'output_scale']

/**
 * The tensors of a checkpoint in FP8 with those of E4M3 as float32, multiplied by their scales, and all others as they are.
 *
 * @throws ModelFormatError naming a tensor whose scale is missing, there twice or of another shape
 */
export function translateFp8(weights: WeightIndex, method: Fp8Method, read: ReadTensor): MadeTensor[] {
  const used = new Set<string>()
  const tensors: MadeTensor[] = []
  for (const name of weights.names) {
    const entry = weights.get(name)!
    if (entry.dtype !== 'F8_E4M3') continue
    const scale = findScale(weights, name, entry)
    used.add(scale)
    tensors.push(scaled(name, weights, scale, method, read))
  }
  for (const name of weights.names) {
    const entry = weights.get(name)!
    if (entry.dtype === 'F8_E4M3' || used.has(name) || UNUSED_SCALES.some((end) => name.endsWith(`.${end}`))) continue
    tensors.push(storedTensor(name, entry, read))
  }
  return tensors
}

function findScale(weights: WeightIndex, name: string, entry: TensorEntry): string {
  const file = `${weights.folder}/${entry.file}`
  const stem = name.replace(/weight$/, '')
  const names = stem === name ? [] : SCALES.map((spelling) => `${stem}${spelling}`)
  const found = names.filter((candidate) => weights.get(candidate) !== undefined)
  if (found.length === 1) return found[0]!
  const expected = `one scale of ${name} (F8_E4M3): ${names.join(', ') || 'none is known for such a name'}`
  throw new ModelFormatError(file, expected, found.length === 0 ? 'none' : found.join(' and '))
}

function scaled(
  name: string,
  weights: WeightIndex,
  scaleName: string,
  method: Fp8Method,
  read: ReadTensor,
): MadeTensor {
  const entry = weights.get(name)!
  const { shape } = entry
  const file = `${weights.folder}/${entry.file}`
  if (shape.length !== 2) throw new ModelFormatError(file, `${name} (F8_E4M3) as a matrix`, `[${shape}]`)
  const width = shape[1]!
  const blocks = placeScales(weights, { name, scaleName, file }, method)
  const scale = weights.get(scaleName)!
  let reading: Promise<BlockScales> | undefined
  async function readScales(): Promise<BlockScales> {
    const values = decodeFloats(await read(scale, 0, scale.length), scale.dtype)
    if (values.every(Number.isFinite)) return { values, ...blocks }
    throw new ModelFormatError(file, `finite values in ${scaleName}`, 'NaN or infinity')
  }
  return {
    name,
    dtype: 'F32',
    shape,
    async read(first, count) {
      const bytes = await read(entry, first * width, count * width)
      const numbers = decodeRows(bytes, first, width, await (reading ??= readScales()))
      return new Uint8Array(numbers.buffer)
    },
  }
}

/** Rows and columns that share a scale: all of them, those of a row, or those of a block. */
function placeScales(
  weights: WeightIndex,
  { name, scaleName, file }: { readonly name: string; readonly scaleName: string; readonly file: string },
  { blockSize }: Fp8Method,
): Omit<BlockScales, 'values'> {
  const [rows, width] = weights.get(name)!.shape as [number, number]
  const { shape, dtype } = weights.get(scaleName)!
  const count = shape.reduce((product, dim) => product * dim, 1)
  if (!isFloatType(dtype)) throw new ModelFormatError(file, `${scaleName} as F32, F16 or BF16`, dtype)
  if (count === 1) return { blockRows: rows, blockColumns: width }
  if (blockSize !== undefined) {
    const [blockRows, blockColumns] = blockSize
    const wanted = [Math.ceil(rows / blockRows), Math.ceil(width / blockColumns)]
    if (shape.length === 2 && wanted.every((dim, i) => dim === shape[i])) return { blockRows, blockColumns }
  } else if (shape[0] === rows && count === rows) return { blockRows: 1, blockColumns: width }
  const expected = `${scaleName} with one scale, one a row of [${rows}, ${width}], or one a block of weight_block_size`
  throw new ModelFormatError(file, expected, `[${shape.slice(0, 8)}]`)
}
