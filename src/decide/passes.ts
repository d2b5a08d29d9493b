import type { Tensor } from '../backends/backend.ts'
import type { BranchBias } from './branch-bias.ts'
import type { Group } from './group-branches.ts'

function int64(values: readonly number[], dims: readonly number[]): Tensor {
  const data = new BigInt64Array(values.length)
  // BigInt64Array.from would go through an iterator and take forty times as long.
  for (let index = 0; index < data.length; index++) data[index] = BigInt(values[index] as number)
  return { type: 'int64', dims, data }
}

function lengths(total: number): Record<string, Tensor> {
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
    position_ids: int64(ids.map((_, index) => past + index), shape),
    ...lengths(past + ids.length),
  }
}

/** Feeds of a branch pass over a state of `past` tokens: every branch restarts at position `past`. */
export function branchFeeds(group: Group, past: number, bias: BranchBias): Record<string, Tensor> {
  const ids = group.flatMap(({ branch }) => branch.ids)
  const rows: number[] = []
  let start = 0
  for (const { branch } of group) {
    for (const row of branch.rows) rows.push(start + row)
    start += branch.ids.length
  }
  const shape = [1, ids.length]
  return {
    input_ids: int64(ids, shape),
    position_ids: int64(group.flatMap(({ branch }) => branch.offsets.map((offset) => past + offset)), shape),
    attention_bias: bias.over(group, past),
    rows: int64(rows, [rows.length]),
    ...lengths(past + ids.length),
  }
}
