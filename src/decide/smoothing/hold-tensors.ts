import type { BuiltGraph } from '../../backends/index.ts'
import type { OpenTensors } from '../../models/weights/open-tensors.ts'
import type { TensorEntry, WeightIndex } from '../../models/weights/weight-index.ts'

/** Tensors in memory, which sessions take from there: those of a checkpoint may lie in no file that a session opens. */
export interface HeldTensors {
  /** The checkpoint's, of which these have their place in memory. */
  readonly weights: WeightIndex
  /** Lets a graph of these weights have them. */
  hand(graph: BuiltGraph): BuiltGraph
}

const FILE = 'held'
/** Where tensors begin: at multiples of what processors read at once. */
const ALIGNMENT = 64

export async function holdTensors({ weights, read }: OpenTensors, names: readonly string[]): Promise<HeldTensors> {
  const places = new Map<string, TensorEntry>()
  let size = 0
  for (const name of names) {
    const entry = weights.get(name)!
    places.set(name, { ...entry, file: FILE, offset: size })
    size += Math.ceil(entry.length / ALIGNMENT) * ALIGNMENT
  }
  const data = new Uint8Array(size)
  for (const [name, { offset }] of places) {
    const entry = weights.get(name)!
    data.set(await read(entry, 0, entry.length), offset)
  }
  return {
    weights: { ...weights, get: (name) => places.get(name) ?? weights.get(name) },
    hand: ({ bytes, memory }) => ({ bytes, ...(memory && { memory }), files: [{ path: FILE, data }] }),
  }
}
