import { ModelFormatError } from '../../errors/index.ts'
import { decodeFloats, isFloatType } from '../weights/decode-floats.ts'
import { type MadeTensor, storedTensor } from '../weights/made-weights.ts'
import type { ReadTensor } from '../weights/open-tensors.ts'
import type { WeightIndex } from '../weights/weight-index.ts'
import { findEmptyBiases } from './empty-biases.ts'
import type { Int4Method } from './int4-method.ts'
import { packOutputs, unpackNeighbours } from './unpack-words.ts'

const LEVELS = '.qweight'
/** Beside the levels of a matrix; AWQ has no list of groups. */
const ZEROS = '.qzeros'
const SCALES = '.scales'
const GROUPS = '.g_idx'
const WORD = 8

interface Matrix {
  /** Name without an ending. */
  readonly stem: string
  readonly inputs: number
  readonly outputs: number
  readonly groups: number
}

/**
 * The tensors of a checkpoint of GPTQ or AWQ with matrices in blocks as `QuantizationConfig` has them: the same levels and
 * scales in another order, nothing is rounded.
 *
 * @throws ModelFormatError naming a tensor that is missing, of another shape, or whose groups or zero points are not what was said
 */
export async function translateInt4(weights: WeightIndex, method: Int4Method, read: ReadTensor): Promise<MadeTensor[]> {
  const tensors: MadeTensor[] = []
  const stems = weights.names.filter((name) => name.endsWith(LEVELS)).map((name) => name.slice(0, -LEVELS.length))
  const matrices = stems.map((stem) => measure(weights, stem, method))
  const used = new Set(await findEmptyBiases(weights, matrices, read))
  for (const matrix of matrices) {
    for (const ending of [LEVELS, ZEROS, SCALES, GROUPS]) used.add(`${matrix.stem}${ending}`)
    await checkGroups(weights, matrix, method, read)
    const zeros = await readZeros(weights, matrix, method, read)
    tensors.push(...translate(weights, matrix, method, { read, zeros }))
  }
  for (const name of weights.names) {
    if (!used.has(name)) tensors.push(storedTensor(name, weights.get(name)!, read))
  }
  return tensors
}

/** Sizes of a matrix, after what is beside its levels was found to be of these. */
function measure(weights: WeightIndex, stem: string, { method, groupSize }: Int4Method): Matrix {
  const { shape } = require(weights, `${stem}${LEVELS}`)
  const [inputs, outputs] = method === 'gptq' ? [shape[0]! * WORD, shape[1]!] : [shape[0]!, shape[1]! * WORD]
  const groups = inputs / groupSize
  const wanted = {
    [LEVELS]: method === 'gptq' ? [inputs / WORD, outputs] : [inputs, outputs / WORD],
    [ZEROS]: [groups, outputs / WORD],
    [SCALES]: [groups, outputs],
  }
  for (const [ending, dims] of Object.entries(wanted)) {
    const { shape: found, dtype, path } = require(weights, `${stem}${ending}`)
    const isType = ending === SCALES ? isFloatType(dtype) : dtype === 'I32'
    if (isType && dims.every(Number.isInteger) && found.length === 2 && dims.every((dim, i) => dim === found[i]))
      continue
    const expected = `${stem.slice(0, 200)}${ending} as [${dims}] of ${ending === SCALES ? 'F32, F16 or BF16' : 'I32'}`
    throw new ModelFormatError(path, expected, `[${found.slice(0, 8)}] of ${dtype}`)
  }
  return { stem, inputs, outputs, groups }
}

function require(weights: WeightIndex, name: string) {
  const entry = weights.get(name)
  const path = `${weights.folder}/${entry?.file ?? ''}`
  if (entry === undefined) throw new ModelFormatError(weights.folder, `a tensor ${name.slice(0, 200)}`, 'none')
  return { ...entry, entry, path }
}

/** The list of groups has to be that of inputs in their own order. */
async function checkGroups(weights: WeightIndex, { stem, inputs }: Matrix, method: Int4Method, read: ReadTensor) {
  const entry = weights.get(`${stem}${GROUPS}`)
  if (entry === undefined) return
  const groups = entry.dtype === 'I32' && entry.length === 4 * inputs ? words(await read(entry, 0, entry.length)) : []
  if (groups.length === inputs && groups.every((group, i) => group === Math.floor(i / method.groupSize))) return
  const expected = `${inputs} inputs in groups of ${method.groupSize}, in their own order, in ${stem.slice(0, 200)}${GROUPS}`
  throw new ModelFormatError(`${weights.folder}/${entry.file}`, expected, 'another order')
}

/** Zero points [groups, outputs]; undefined where they are 8 everywhere, as was said. */
async function readZeros(
  weights: WeightIndex,
  { stem }: Matrix,
  { method, symmetric, less }: Int4Method,
  read: ReadTensor,
): Promise<Uint8Array | undefined> {
  const { entry, path } = require(weights, `${stem}${ZEROS}`)
  // What was taken off comes back in four bits, as the reference has it.
  const zeros = unpackNeighbours(words(await read(entry, 0, entry.length)), method).map((zero) => (zero + less) & 15)
  if (!symmetric) return zeros
  if (zeros.every((zero) => zero === 8)) return undefined
  throw new ModelFormatError(path, `the zero point 8 everywhere in ${stem.slice(0, 200)}${ZEROS} (sym)`, 'others')
}

interface Source {
  readonly read: ReadTensor
  readonly zeros: Uint8Array | undefined
}

function translate(
  weights: WeightIndex,
  matrix: Matrix,
  { method, groupSize }: Int4Method,
  source: Source,
): MadeTensor[] {
  const { stem, inputs, outputs, groups } = matrix
  const { read, zeros } = source
  const levels = require(weights, `${stem}${LEVELS}`).entry
  const scales = require(weights, `${stem}${SCALES}`).entry
  const readScales = async () => decodeFloats(await read(scales, 0, scales.length), scales.dtype)
  /** One number a group of each output, from those of each output of a group. */
  const turn = async (first: number, count: number, value: (scale: number, at: number) => number) => {
    const stored = await readScales()
    const turned = new Float32Array(count * groups)
    for (let i = 0; i < turned.length; i++) {
      const at = (i % groups) * outputs + first + Math.floor(i / groups)
      turned[i] = value(stored[at]!, at)
    }
    return new Uint8Array(turned.buffer)
  }
  const name = `${stem}.weight`
  const shape = [outputs, groups]
  const tensors: MadeTensor[] = [
    {
      name,
      dtype: 'U8',
      shape: [outputs, groups, groupSize / 2],
      // Levels of an output lie over all of the tensor.
      read: async (first, count) =>
        packOutputs(words(await read(levels, 0, levels.length)), { method, inputs, outputs }, first, count),
    },
    { name: `${name}.scales`, dtype: 'F32', shape, read: (first, count) => turn(first, count, (scale) => scale) },
  ]
  if (zeros === undefined) return tensors
  const offset = (scale: number, at: number) => (8 - zeros[at]!) * scale
  return [
    ...tensors,
    { name: `${name}.offsets`, dtype: 'F32', shape, read: (first, count) => turn(first, count, offset) },
  ]
}

function words(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.slice().buffer)
}
