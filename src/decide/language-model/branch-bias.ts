import type { Tensor } from '../../backends/backend.ts'
import { BLOCKED } from '../../graph/index.ts'
import { countGroupTokens, type Group } from '../group-branches.ts'
import type { Branch } from './template.ts'

/** Length of the memory for groups of at most `tokens` over states of at most `past` tokens. */
export function biasLength(tokens: number, past: number): number {
  return tokens * (past + tokens)
}

/**
 * What each token of a group sees: itself, what is before it in its own branch, and the whole state. One memory for
 * all passes of a request. Windows of one length follow each other, so what it holds is often right already.
 */
export class BranchBias {
  readonly #memory: Float32Array
  #group: Group<Branch> | undefined
  #past = 0

  constructor(memory: Float32Array) {
    this.#memory = memory
  }

  /** 0 where row sees column, else `BLOCKED`; shape [1, 1, group tokens, past + group tokens]. */
  over(group: Group<Branch>, past: number): Tensor {
    const tokens = countGroupTokens(group)
    const total = past + tokens
    const data = this.#memory.subarray(0, tokens * total)
    if (group !== this.#group || past !== this.#past) fillBias(data, group, past)
    this.#group = group
    this.#past = past
    return { type: 'float32', dims: [1, 1, tokens, total], data }
  }
}

function fillBias(bias: Float32Array, group: Group<Branch>, past: number): void {
  const total = past + countGroupTokens(group)
  let start = 0
  for (const { branch } of group) {
    const size = branch.ids.length
    for (let at = 0; at < size; at++) {
      bias
        .subarray((start + at) * total, (start + at + 1) * total)
        .fill(0, 0, past)
        .fill(BLOCKED, past)
        .fill(0, past + start, past + start + at + 1)
    }
    start += size
  }
}
