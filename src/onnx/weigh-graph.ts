import type { DataType, Initializer, Node } from './onnx-model.ts'

/** Bytes that a session of a graph holds on a processor beside pages of weight files, which the system may drop again. */
export interface GraphMemory {
  /** Of matrices that are stored as floats, which quantising makes smaller. */
  readonly floats: number
  /** Of everything else. */
  readonly rest: number
  /** Of weights that operators read where they lie in their files, for as long as the system has memory for these pages. @defaultValue 0 */
  readonly mapped?: number
  /** Of `rest`, rows of int8 that are multiplied as such; see `rewritesInt8`. @defaultValue 0 */
  readonly int8?: number
  /** What a run holds beside the weights, which the session keeps for the next one; absent where that is little. */
  readonly run?: RunMemory
}

/** Bytes for each element of an input of that name. */
export interface RunMemory {
  readonly input: string
  readonly bytes: number
}

/**
 * What an operator holds of a weight for each byte that is stored, by the weight's place among its inputs. Measured with
 * onnxruntime-node 1.30: products pack their weights; those in blocks also make sums of as many bytes as their scales.
 */
const PACKED: Readonly<Record<string, readonly number[]>> = {
  MatMulNBits: [0, 1, 2],
  // A matrix that changes are added to when the session opens, of which something stays beside the sum.
  Gemm: [1, 1, 1.4],
  // Rows that are picked stay in the file.
  Gather: [0, 0],
}

/** The same for the first operator on weights that are expanded to float32 when the session opens; it keeps steps on the way. */
const EXPANDED: Partial<Record<DataType, number>> = { bfloat16: 2, float16: 2, uint8: 9, int8: 6 }
const UNPACKED_HALVES = 27

/** The scales of blocks are read from the file, beside those that are packed. */
const READ_FROM_FILE: Readonly<Record<string, number>> = { MatMulNBits: 2 }

const FLOATS: ReadonlySet<DataType> = new Set(['float32', 'float16', 'bfloat16'])

/** Predicts the memory of a session from what its graph does with the weights, none of which is read. */
export function weighGraph(initializers: readonly Initializer[], nodes: readonly Node[]): GraphMemory {
  const uses = new Map<string, { readonly opType: string; readonly input: number }[]>()
  for (const { opType, inputs } of nodes) {
    for (const [input, name] of inputs.entries()) {
      const of = uses.get(name) ?? []
      uses.set(name, of)
      of.push({ opType, input })
    }
  }
  let floats = 0
  let rest = 0
  let mapped = 0
  let int8 = 0
  for (const { name, type, dims, data } of initializers) {
    // A tensor inside the model is there twice: in its bytes, and as the runtime's copy.
    if (!('file' in data)) {
      rest += 2 * data.length
      continue
    }
    for (const { opType, input } of uses.get(name) ?? []) {
      const bytes = holds(opType, input, type) * data.length
      if (dims.length === 2 && opType !== 'MatMulNBits' && FLOATS.has(type)) floats += bytes
      else rest += bytes
      if (opType === 'QGemm' && type === 'int8') int8 += bytes
      if (READ_FROM_FILE[opType] === input) mapped += data.length
    }
  }
  return { floats, rest, mapped, ...(int8 > 0 && { int8 }) }
}

function holds(opType: string, input: number, type: DataType): number {
  if (opType === 'Cast') return EXPANDED[type] ?? 1
  if (opType === 'BitwiseAnd') return UNPACKED_HALVES
  // The other half of the same bytes.
  if (opType === 'BitShift') return 0
  return PACKED[opType]?.[input] ?? 1
}
