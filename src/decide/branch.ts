/** A question as the model reads it: a short token sequence that continues the state. */
export interface Branch {
  readonly ids: readonly number[]
  /** Position of each token relative to the end of the state. Isolated options restart at the same offset. */
  readonly offsets: readonly number[]
  /** The part of the branch that each token belongs to; see `TRUNK` and `JOIN`. Numbers from 1 are isolated options. */
  readonly parts: readonly number[]
  /** Rows (indices into `ids`) whose hidden state the readout needs, in the readout's own order. */
  readonly rows: readonly number[]
  /** Whether the symbols stand for the options from the last to the first. */
  readonly turned?: boolean
}

/** Tokens seen by everything that follows in the branch. */
export const TRUNK = 0
/** Tokens that see the whole branch before them, options included. */
export const JOIN = -1

/** True where token `at` of a branch may look at token `to` of the same branch (`to` ≤ `at`). */
export function sees(branch: Branch, at: number, to: number): boolean {
  const from = branch.parts[at]
  const part = branch.parts[to]
  return to <= at && (part === TRUNK || part === from || from === JOIN)
}

/** One past the largest offset: how many positions beyond the state the branch needs. */
export function extent(branch: Branch): number {
  return branch.offsets.reduce((most, offset) => Math.max(most, offset), -1) + 1
}

/** A branch that is one text, of which the last row is read. */
export function lineBranch(ids: readonly number[]): Branch {
  return { ids, offsets: ids.map((_, index) => index), parts: ids.map(() => TRUNK), rows: [ids.length - 1] }
}
