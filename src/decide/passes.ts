import type { Tensor } from '../backends/backend.ts'
import { sees } from './branch.ts'
import type { Group } from './group-branches.ts'

/** Blocks a column without the NaN that −∞ gives in a fully blocked row, and without overflow when added. */
const BLOCKED = -1e9

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

/** Entries of the bias of a branch pass of `tokens` over a state of `past` tokens. */
export function biasSize(tokens: number, past: number): number {
  return tokens * (past + tokens)
}

/**
 * Feeds of a branch pass over a state of `past` tokens: every branch restarts at position `past` and sees the state and its
 * own visible tokens only. Bias shape [1, 1, group tokens, past + group tokens], made in `memory` of at least its size.
 */
export function branchFeeds(group: Group, past: number, memory: Float32Array): Record<string, Tensor> {
  const ids = group.flatMap(({ branch }) => branch.ids)
  const total = past + ids.length
  const bias = memory.subarray(0, biasSize(ids.length, past)).fill(0)
  const rows: number[] = []
  let start = 0
  for (const { branch } of group) {
    const size = branch.ids.length
    for (let at = 0; at < size; at++) {
      const line = bias.subarray((start + at) * total, (start + at + 1) * total).fill(BLOCKED, past)
      for (let to = 0; to <= at; to++) if (sees(branch, at, to)) line[past + start + to] = 0
    }
    rows.push(...branch.rows.map((row) => start + row))
    start += size
  }
  const shape = [1, ids.length]
  return {
    input_ids: int64(ids, shape),
    position_ids: int64(group.flatMap(({ branch }) => branch.offsets.map((offset) => past + offset)), shape),
    attention_bias: { type: 'float32', dims: [1, 1, ids.length, total], data: bias },
    rows: int64(rows, [rows.length]),
    ...lengths(total),
  }
}
