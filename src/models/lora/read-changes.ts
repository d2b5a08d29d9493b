import { ModelFormatError } from '../../errors/index.ts'
import { isFloatType } from '../weights/decode-floats.ts'
import type { OpenTensors } from '../weights/open-tensors.ts'
import type { WeightIndex } from '../weights/weight-index.ts'
import { type Change, type Changes, type Matrix, multiply, sizeOf, takeRows, wholeSize } from './change.ts'
import { count, type LoraModule, type PartName, readModules } from './lora-modules.ts'
import { nameModules, type Slot } from './module-names.ts'

/**
 * What the change of a module is multiplied by, where something beside its tensors says it.
 *
 * @param rank that the shapes of its tensors have; two whole factors of LoKr have none
 */
export type ScaleOf = (module: string, rank: number | undefined) => number | undefined

export interface Lora {
  readonly tensors: OpenTensors
  readonly scaleOf: ScaleOf
}

/** The checkpoint that is changed. */
export interface Base {
  /** Path or URL, for errors. */
  readonly location: string
  readonly weights: WeightIndex
}

/**
 * The changes that an adapter makes to a checkpoint.
 *
 * @param strength multiplies them all
 * @throws ModelFormatError counting and naming what is no part of an adapter, modules that the checkpoint lacks, and
 *   changes of another size than what they are for
 */
export async function readChanges({ tensors, scaleOf }: Lora, base: Base, strength = 1): Promise<Changes> {
  const modules = await readModules(tensors)
  const file = tensors.weights.sources[0]?.path ?? tensors.weights.folder
  const find = nameModules(base.weights)
  const changes = new Map<string, readonly Change[]>()
  const unmatched: string[] = []
  for (const module of modules) {
    const slots = find(module.name)
    if (slots === undefined || slots.some(({ tensor }) => base.weights.get(tensor) === undefined)) {
      unmatched.push(module.name)
      continue
    }
    const { scale, ...made } = makeChange(module, scaleOf, file, roomOf(slots, base.weights))
    const change = { ...made, scale: strength * scale }
    const [rows] = wholeSize(change)
    for (const { tensor, part, parts } of slots) {
      if (changes.has(tensor)) throw new ModelFormatError(file, `one change of ${tensor}`, `another, ${module.name}`)
      const own = parts === 1 ? change : takeRows(change, (part * rows) / parts, rows / parts)
      changes.set(tensor, [own])
    }
  }
  if (unmatched.length > 0) {
    throw new ModelFormatError(file, `changes of matrices of ${base.location}`, count(unmatched))
  }
  if (changes.size === 0) throw new ModelFormatError(file, 'changes of matrices', 'none')
  requireFit(changes, base, file)
  return changes
}

/** The changes of several adapters together. */
export function joinChanges(all: readonly Changes[]): Changes {
  const joined = new Map<string, readonly Change[]>()
  for (const changes of all) {
    for (const [tensor, own] of changes) joined.set(tensor, [...(joined.get(tensor) ?? []), ...own])
  }
  return joined
}

/** The most numbers that matrices may have, of which two may stand in a byte. */
function roomOf(slots: readonly Slot[], weights: WeightIndex): number {
  return slots.reduce((sum, { tensor }) => sum + 2 * weights.get(tensor)!.shape.reduce((a, b) => a * b, 1), 0)
}

function makeChange(module: LoraModule, scaleOf: ScaleOf, file: string, room: number): Change {
  const { parts, name } = module
  const take = (part: PartName): Matrix => {
    const found = parts.get(part)
    if (found !== undefined) return found
    throw new ModelFormatError(file, `${part} for ${name.slice(0, 200)}`, [...parts.keys()].join(', ') || 'alpha alone')
  }
  if (parts.has('lora_A') || parts.has('lora_B')) {
    const [left, right] = [take('lora_B'), take('lora_A')]
    if (left.columns !== right.rows || parts.size !== 2) refuseParts(module, file)
    return { kind: 'product', left, right, scale: scaleFor(module, scaleOf, right.rows), file }
  }
  const factor = (factor: 'lokr_w1' | 'lokr_w2'): { matrix: Matrix; rank: number | undefined } => {
    const whole = parts.get(factor)
    if (whole !== undefined) return { matrix: whole, rank: undefined }
    const [a, b] = [take(`${factor}_a`), take(`${factor}_b`)]
    if (a.columns !== b.rows) refuseParts(module, file)
    // Two short factors may make a matrix of any size, so it is measured before it is made.
    if (a.rows * b.columns > room) {
      const expected = `${factor} of ${name.slice(0, 200)} with at most ${room} numbers`
      throw new ModelFormatError(file, expected, `[${a.rows}, ${b.columns}]; it is for another base`)
    }
    return { matrix: multiply(a, b), rank: b.rows }
  }
  const [left, right] = [factor('lokr_w1'), factor('lokr_w2')]
  return {
    kind: 'kronecker',
    left: left.matrix,
    right: right.matrix,
    scale: scaleFor(module, scaleOf, right.rank ?? left.rank),
    file,
  }
}

/**
 * Alpha by rank: as a tensor beside the others, or as a configuration says; without either it is the rank. lycoris, which
 * writes the tensor, multiplies two whole factors by nothing, whatever it is.
 */
function scaleFor({ name, alpha }: LoraModule, scaleOf: ScaleOf, rank: number | undefined): number {
  return alpha === undefined || rank === undefined ? (scaleOf(name, rank) ?? 1) : alpha / rank
}

function refuseParts({ name, parts }: LoraModule, file: string): never {
  const shapes = Array.from(parts, ([part, { rows, columns }]) => `${part} [${rows}, ${columns}]`)
  throw new ModelFormatError(file, `two matrices of one rank for ${name.slice(0, 200)}`, shapes.join(', '))
}

/** Quantised matrices keep their number of rows, and nothing else of their shape; their width is checked in the graph. */
function requireFit(changes: Changes, { location, weights }: Base, file: string): void {
  const wrong = Array.from(changes).flatMap(([name, [change]]) => {
    const { shape, dtype } = weights.get(name)!
    const size = sizeOf(change!)
    const compared = isFloatType(dtype) || dtype === 'I8' ? 2 : 1
    if (shape.length >= compared && size.slice(0, compared).every((dim, i) => dim === shape[i])) return []
    return [`${name} [${size}], not [${shape}]`]
  })
  if (wrong.length === 0) return
  throw new ModelFormatError(file, `changes of the sizes of ${location}`, `${count(wrong)}; it is for another base`)
}
