import { InvalidRequestError, ModelFormatError } from '../../errors/index.ts'
import type { WeightIndex } from '../weights/weight-index.ts'
import type { Changes } from './change.ts'

/** Of all adapters of a call: as float32 they travel inside a graph, whose encoding ends at 2 GiB, with some room for the rest. */
const MOST_NUMBERS = 480 * 2 ** 20

export function countNumbers(weights: WeightIndex): number {
  return weights.names.reduce((sum, name) => sum + weights.get(name)!.shape.reduce((a, b) => a * b, 1), 0)
}

/**
 * Numbers of the files, before any is read.
 *
 * @param owner name of the model whose adapters they are by the options; undefined where a call chose some
 * @throws InvalidRequestError naming `lora` with sum and limit; ModelFormatError where no caller can choose others
 */
export function requireRoomTogether(numbers: number, owner?: string): void {
  if (numbers <= MOST_NUMBERS) return
  const expected = `adapters of at most ${MOST_NUMBERS} numbers together`
  if (owner !== undefined) throw new ModelFormatError(`loras.${owner}`, expected, `${numbers}`)
  throw new InvalidRequestError('lora', `must be ${expected}, got ${numbers}; choose fewer or smaller ones`)
}

/** The same of what a graph holds, where one matrix of an adapter may stand for several. */
export function requireRoomOfChanges(changes: Changes, owner?: string): void {
  const all = [...changes.values()].flat()
  const numbers = all.reduce((sum, { left, right }) => sum + left.values.length + right.values.length, 0)
  requireRoomTogether(numbers, owner)
}
