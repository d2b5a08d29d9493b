import type { Tensor } from '../../backends/backend.ts'
import { BLOCKED } from '../../graph/index.ts'
import { int64 } from '../int64-tensor.ts'
import { JOIN, seesPart, type TreeBranch } from './tree-branch.ts'

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

/** Keys of a branch in a pass are filled up to whole steps of so many. */
const SPAN_STEP = 64

/**
 * The keys that a stretch of so many tokens is compared with. It depends on the stretch alone: sums over another number of keys, of which
 * no more count, may differ in their last bit.
 */
export function spanLength(tokens: number): number {
  return Math.ceil(tokens / SPAN_STEP) * SPAN_STEP
}

/** Feeds of a pass of stretches of one span behind a window of `trunk` tokens; each stretch is of another branch. */
export function branchFeeds(stretches: readonly Stretch[], trunk: number): Record<string, Tensor> {
  const ids: number[] = []
  const positions: number[] = []
  const levels: number[] = []
  const rows: number[] = []
  const [all, read]: [Rows[], Rows[]] = [[], []]
  for (const stretch of stretches) {
    const { branch, from, to } = stretch
    const first = ids.length
    for (let at = from; at < to; at++) {
      ids.push(branch.ids[at]!)
      positions.push(trunk + branch.offsets[at]!)
      levels.push(branch.levels[at]!)
    }
    all.push({ stretch, tokens: Array.from({ length: to - from }, (_, index) => from + index), first })
    const tokens = readRows(stretch)
    // A stretch of which nothing is read still has to give a row.
    if (tokens.length === 0) tokens.push(from)
    read.push({ stretch, tokens, first: rows.length })
    rows.push(...tokens.map((token) => first + token - from))
  }
  const span = spanLength(all[0]!.tokens.length)
  return {
    ...tokenFeeds(ids, positions, 1),
    level_ids: int64(levels, [levels.length]),
    rows: int64(rows, [rows.length]),
    branch_span: blockTensor(all, span),
    ...rowFeeds('branch', all, span),
    ...rowFeeds('read', read, span),
  }
}

/** Tokens of a stretch whose hidden states are read, by their places in the branch. */
export function readRows({ branch, from, to }: Stretch): number[] {
  return branch.rows.filter((row) => row >= from && row < to)
}

/** Some tokens of a stretch, as rows of a pass. */
interface Rows {
  readonly stretch: Stretch
  /** By their places in the branch. */
  readonly tokens: readonly number[]
  /** Row of the first of them. */
  readonly first: number
}

function rowFeeds(name: string, blocks: readonly Rows[], span: number): Record<string, Tensor> {
  const longest = Math.max(...blocks.map(({ tokens }) => tokens.length))
  const order = blocks.flatMap(({ tokens }, block) => tokens.map((_, index) => block * longest + index))
  return {
    [`${name}_rows`]: blockTensor(blocks, longest),
    [`${name}_order`]: int64(order, [order.length]),
    [`${name}_bias`]: branchBias(blocks, order.length, span),
  }
}

/** The rows of each block, filled up with the first of the pass. */
function blockTensor(blocks: readonly Rows[], length: number): Tensor {
  const rows = blocks.flatMap(({ tokens, first }) =>
    Array.from({ length }, (_, index) => (index < tokens.length ? first + index : 0)),
  )
  return int64(rows, [blocks.length, length])
}

/** 0 where a row sees a token of its stretch, else `BLOCKED`: [rows, span]. */
function branchBias(blocks: readonly Rows[], rows: number, span: number): Tensor {
  const data = new Float32Array(rows * span).fill(BLOCKED)
  for (const { stretch, tokens, first } of blocks) {
    const { branch, from, to } = stretch
    for (const [index, token] of tokens.entries()) {
      const line = (first + index) * span
      const part = branch.parts[token]!
      for (let other = from; other < to; other++) {
        if (seesPart(part, branch.parts[other]!)) data[line + other - from] = 0
      }
    }
  }
  return { type: 'float32', dims: [rows, span], data }
}

/**
 * Cuts a branch into stretches of at most `most` tokens, each of whole parts, unless one is longer: tokens of a part see each other. The
 * text is whole in the first, and what sees all leaves is a stretch of its own behind them.
 */
export function cutBranch(branch: TreeBranch, most: number): Stretch[] {
  const { parts } = branch
  if (parts.length <= most) return [{ branch, from: 0, to: parts.length }]
  const stretches: Stretch[] = []
  let from = 0
  let end = 0
  for (let at = 1; at <= parts.length; at++) {
    if (at < parts.length && parts[at] === parts[at - 1]) continue
    if (end > from && (at - from > most || parts[end] === JOIN)) {
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
