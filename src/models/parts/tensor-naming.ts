/** One of so many equal pieces of a tensor's rows: `[1, 3]` is the second third. */
export type Piece = readonly [index: number, count: number]

/** What becomes of a stored tensor. */
export interface Target {
  /** As diffusers names it. */
  readonly name: string
  /** The rows it has, in its order. @defaultValue all as they are */
  readonly pieces?: readonly Piece[]
  /** Whether axes of one are added or dropped: `row` is [1, width], `matrix` [rows, width]. @defaultValue the stored shape */
  readonly shape?: 'row' | 'matrix'
}

/**
 * How a file of a pipeline's part calls tensors: what becomes of each, nothing where nothing is computed from it. A name that
 * it does not know stays, and is refused by the graph that does not read it.
 */
export type Naming = (stored: string) => readonly Target[]

/** Thirds of the rows of a fused matrix, under three names. */
export function splitInThree(names: readonly [string, string, string]): readonly Target[] {
  return names.map((name, i) => ({ name, pieces: [[i, 3]] }))
}
