import { ModelFormatError } from '../../errors/index.ts'
import { decodeFloats, isFloatType } from '../decode-floats.ts'
import type { OpenTensors } from '../open-tensors.ts'
import type { AdapterConfig } from './adapter-config.ts'

/** A matrix row after row. */
export interface Matrix {
  readonly rows: number
  readonly columns: number
  readonly values: Float32Array
}

/** What an adapter adds to a matrix: `scale · left · right`, or `scale` times their Kronecker product. */
export interface Change {
  readonly kind: 'product' | 'kronecker'
  readonly left: Matrix
  readonly right: Matrix
  readonly scale: number
}

/** Before every name that peft writes. */
const PREFIX = 'base_model.model.'
const PARTS = /^(.+)\.(lora_[AB]\.weight|lokr_w[12](?:_[ab])?)$/

/**
 * The changes of an adapter, by the name of the matrix that each is for.
 *
 * @throws ModelFormatError naming tensors that are no part of one, or the part that a change lacks
 */
export async function readChanges(adapter: OpenTensors, config: AdapterConfig): Promise<Map<string, Change>> {
  const { weights } = adapter
  const modules = new Map<string, Map<string, Matrix>>()
  const strange: string[] = []
  for (const name of weights.names) {
    const [, module, part] = PARTS.exec(name) ?? []
    const { shape, dtype } = weights.get(name)!
    if (module === undefined || !name.startsWith(PREFIX) || shape.length !== 2 || !isFloatType(dtype)) {
      strange.push(name)
      continue
    }
    const target = `${module.slice(PREFIX.length)}.weight`
    const parts = modules.get(target) ?? new Map<string, Matrix>()
    modules.set(target, parts.set(part!, await readMatrix(adapter, name)))
  }
  const file = adapter.sources[0] ?? weights.folder
  if (strange.length > 0)
    throw new ModelFormatError(file, 'matrices of LoRA or LoKr, as peft names them', count(strange))
  return new Map(Array.from(modules, ([target, parts]) => [target, makeChange(parts, config, { file, target })]))
}

/** How many there are, and the first of them. */
export function count(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => name.slice(0, 200))
  return `${names.length} others: ${shown.join(', ')}${names.length > shown.length ? ', …' : ''}`
}

async function readMatrix({ weights, read }: OpenTensors, name: string): Promise<Matrix> {
  const entry = weights.get(name)!
  const [rows, columns] = entry.shape as [number, number]
  return { rows, columns, values: decodeFloats(await read(entry, 0, entry.length), entry.dtype) }
}

interface Place {
  readonly file: string
  readonly target: string
}

function makeChange(parts: ReadonlyMap<string, Matrix>, { scale }: AdapterConfig, place: Place): Change {
  const take = (part: string): Matrix => {
    const found = parts.get(part)
    if (found !== undefined) return found
    throw new ModelFormatError(place.file, `${part} for ${place.target}`, [...parts.keys()].join(', '))
  }
  if ([...parts.keys()].some((part) => part.startsWith('lora_'))) {
    const [left, right] = [take('lora_B.weight'), take('lora_A.weight')]
    if (left.columns !== right.rows || parts.size !== 2) refuseParts(parts, place)
    return { kind: 'product', left, right, scale: scale(right.rows) }
  }
  const factor = (name: string): { matrix: Matrix; rank: number | undefined } => {
    const whole = parts.get(name)
    if (whole !== undefined) return { matrix: whole, rank: undefined }
    const [a, b] = [take(`${name}_a`), take(`${name}_b`)]
    if (a.columns !== b.rows) refuseParts(parts, place)
    return { matrix: multiply(a, b), rank: b.rows }
  }
  const [left, right] = [factor('lokr_w1'), factor('lokr_w2')]
  const rank = right.rank ?? left.rank
  if (rank === undefined) {
    throw new ModelFormatError(place.file, `a rank of the change of ${place.target}`, 'two whole factors')
  }
  return { kind: 'kronecker', left: left.matrix, right: right.matrix, scale: scale(rank) }
}

function refuseParts(parts: ReadonlyMap<string, Matrix>, { file, target }: Place): never {
  const shapes = Array.from(parts, ([part, { rows, columns }]) => `${part} [${rows}, ${columns}]`)
  throw new ModelFormatError(file, `two matrices of one rank for ${target}`, shapes.join(', '))
}

function multiply(a: Matrix, b: Matrix): Matrix {
  const values = new Float32Array(a.rows * b.columns)
  for (let row = 0; row < a.rows; row++) {
    for (let inner = 0; inner < a.columns; inner++) {
      const factor = a.values[row * a.columns + inner]!
      for (let column = 0; column < b.columns; column++) {
        const at = row * b.columns + column
        values[at] = values[at]! + factor * b.values[inner * b.columns + column]!
      }
    }
  }
  return { rows: a.rows, columns: b.columns, values }
}

/** Rows and columns of the matrix that a change is for. */
export function sizeOf({ kind, left, right }: Change): readonly [number, number] {
  if (kind === 'product') return [left.rows, right.columns]
  return [left.rows * right.rows, left.columns * right.columns]
}

/** Adds a change to whole rows of its matrix, from row `first` on. */
export function addChange(rows: Float32Array, first: number, change: Change): void {
  const { kind, left, right, scale } = change
  const [, width] = sizeOf(change)
  for (let start = 0; start < rows.length; start += width) {
    const row = first + start / width
    const [outer, inner] = kind === 'product' ? [row, 0] : [Math.floor(row / right.rows), row % right.rows]
    for (let column = 0; column < left.columns; column++) {
      const factor = scale * left.values[outer * left.columns + column]!
      // Of a product each column of the left meets a row of the right, of Kronecker's it is a block of columns of its own.
      const source = (kind === 'product' ? column : inner) * right.columns
      const target = kind === 'product' ? start : start + column * right.columns
      for (let i = 0; i < right.columns; i++) {
        rows[target + i] = rows[target + i]! + factor * right.values[source + i]!
      }
    }
  }
}
