import type { Tensor } from '../../backends/backend.ts'
import { int64 } from '../int64-tensor.ts'
import { seesPart, type TreeBranch } from './tree-branch.ts'

/** Blocks a column without the NaN that −∞ gives in a fully blocked row; within the range of half precision. */
const BLOCKED = -6e4

/** Tokens `from` to `to` of a branch. */
export interface Stretch {
  readonly branch: TreeBranch
  readonly from: number
  readonly to: number
}

/** Feeds of the pass that reads a window: all of its tokens, in order. */
export function trunkFeeds(ids: readonly number[]): Record<string, Tensor> {
  const positions = ids.map((_, place) => place)
  return tokenFeeds(ids, positions, 0)
}

/**
 * Feeds of a pass of stretches of branches behind a window of `trunk` tokens. Where a branch is read in several passes, the pass has one
 * stretch, behind all tokens of its branch that went before.
 */
export function branchFeeds(
  stretches: readonly Stretch[],
  trunk: number,
  memory: Float32Array,
): Record<string, Tensor> {
  const ids: number[] = []
  const positions: number[] = []
  const levels: number[] = []
  const rows: number[] = []
  for (const { branch, from, to } of stretches) {
    for (const row of branch.rows) if (row >= from && row < to) rows.push(ids.length + row - from)
    for (let at = from; at < to; at++) {
      ids.push(branch.ids[at]!)
      positions.push(trunk + branch.offsets[at]!)
      levels.push(branch.levels[at]!)
    }
  }
  return {
    ...tokenFeeds(ids, positions, 1),
    level_ids: int64(levels, [levels.length]),
    attention_bias: branchBias(stretches, trunk, memory),
    // A pass of which nothing is read yet still has to give a row.
    rows: rows.length === 0 ? int64([0], [1]) : int64(rows, [rows.length]),
  }
}

/** The number of rows of a pass that are read. */
export function countRows(stretches: readonly Stretch[]): number {
  const read = ({ branch, from, to }: Stretch) => branch.rows.filter((row) => row >= from && row < to).length
  return stretches.reduce((sum, stretch) => sum + read(stretch), 0)
}

/** Length of the memory for the bias of a pass. */
export function biasLength(stretches: readonly Stretch[], trunk: number): number {
  const tokens = countStretchTokens(stretches)
  return tokens * (trunk + stretches[0]!.from + tokens)
}

function countStretchTokens(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { from, to }) => sum + to - from, 0)
}

/** 0 where a row sees a column, else `BLOCKED`: [tokens, trunk + tokens before + tokens]. */
function branchBias(stretches: readonly Stretch[], trunk: number, memory: Float32Array): Tensor {
  const tokens = countStretchTokens(stretches)
  const total = trunk + stretches[0]!.from + tokens
  const data = memory.subarray(0, tokens * total)
  let start = 0
  for (const { branch, from, to } of stretches) {
    // Column of the branch's first token, were it in this pass.
    const first = trunk + start
    for (let at = from; at < to; at++) {
      const row = start + at - from
      const line = data.subarray(row * total, (row + 1) * total)
      line.fill(0, 0, trunk).fill(BLOCKED, trunk)
      const part = branch.parts[at]!
      for (let other = 0; other < to; other++) {
        if (seesPart(part, branch.parts[other]!)) line[first + other] = 0
      }
    }
    start += to - from
  }
  return { type: 'float32', dims: [tokens, total], data }
}

/**
 * Cuts a branch of many leaves into stretches of at most `most` tokens, each of whole parts, unless one is longer: tokens of a part see
 * each other.
 */
export function cutBranch(branch: TreeBranch, most: number): Stretch[] {
  const { parts } = branch
  const stretches: Stretch[] = []
  let from = 0
  let end = 0
  for (let at = 1; at <= parts.length; at++) {
    if (at < parts.length && parts[at] === parts[at - 1]) continue
    if (at - from > most && end > from) {
      stretches.push({ branch, from, to: end })
      from = end
    }
    end = at
  }
  return [...stretches, { branch, from, to: parts.length }]
}

function tokenFeeds(ids: readonly number[], positions: readonly number[], segment: number): Record<string, Tensor> {
  const dims = [1, ids.length]
  return {
    input_ids: int64(ids, dims),
    position_ids: int64(positions, dims),
    token_type_ids: int64(
      ids.map(() => segment),
      dims,
    ),
  }
}
