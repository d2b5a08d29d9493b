import type { Tensor } from '../../backends/backend.ts'
import type { Group } from '../group-branches.ts'
import { int64 } from '../int64-tensor.ts'
import type { BranchBias } from './branch-bias.ts'
import type { Branch } from './template.ts'

/** Most state tokens a prefill pass. Aborts and other jobs get their turn between passes. */
export const CHUNK = 512

/** How much of its sequence attention sees after a pass: feeds of every graph of a language model. */
export function lengths(total: number): Record<string, Tensor> {
  return {
    seqlens_k: { type: 'int32', dims: [1], data: Int32Array.of(total - 1) },
    total_sequence_length: { type: 'int32', dims: [], data: Int32Array.of(total) },
  }
}

/** Feeds of a prefill pass: `ids` continue a cache that holds `past` tokens. */
export function prefillFeeds(ids: readonly number[], past: number): Record<string, Tensor> {
  const shape = [1, ids.length]
  return {
    input_ids: int64(ids, shape),
    position_ids: int64(
      ids.map((_, index) => past + index),
      shape,
    ),
    ...lengths(past + ids.length),
  }
}

/** Feeds of a branch pass over a state of `past` tokens: every branch restarts at position `past`, and its last row is read. */
export function branchFeeds(group: Group<Branch>, past: number, bias: BranchBias): Record<string, Tensor> {
  const ids: number[] = []
  const positions: number[] = []
  const rows: number[] = []
  for (const { branch } of group) {
    for (const [offset, id] of branch.ids.entries()) {
      positions.push(past + offset)
      ids.push(id)
    }
    rows.push(ids.length - 1)
  }
  const shape = [1, ids.length]
  return {
    input_ids: int64(ids, shape),
    position_ids: int64(positions, shape),
    attention_bias: bias.over(group, past),
    rows: int64(rows, [rows.length]),
    ...lengths(past + ids.length),
  }
}
