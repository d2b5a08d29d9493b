import type { Session } from '../backends/backend.ts'
import type { Question } from '../schemas/index.ts'
import type { Branch } from './branch.ts'
import { type Group, groupBranches } from './group-branches.ts'
import { KvCache } from './kv-cache.ts'
import { branchFeeds, prefillFeeds } from './passes.ts'
import type { Readout } from './readout.ts'

/** State tokens a prefill pass. Aborts and other jobs get their turn between passes. */
export const CHUNK = 512
/** Question tokens a pass, unless one question alone is longer. */
export const GROUP = 512

export interface Decoder {
  readonly prefill: Session
  readonly branch: Session
  readonly readout: Readout
  readonly shape: { readonly layers: number; readonly heads: number; readonly headDim: number }
  readonly inPlace: boolean
}

export interface WindowQuestions {
  readonly questions: readonly Question[]
  readonly branches: readonly Branch[]
}

/** How many passes a window takes, for progress. */
export function countPasses(tokens: number, branches: readonly Branch[]): number {
  return Math.ceil(tokens / CHUNK) + groupBranches(branches, GROUP).length
}

/**
 * Reads one window and answers every question on it: the state once, in chunks, then the questions in packed passes.
 * `beforePass` is awaited before every pass and may throw to stop. Returns one logits array [K] a question, in order.
 */
export async function readWindow(
  decoder: Decoder, ids: readonly number[], { questions, branches }: WindowQuestions, beforePass: () => Promise<void>,
): Promise<Float64Array[]> {
  const groups = groupBranches(branches, GROUP)
  const longest = Math.max(...groups.map(groupSize))
  const cache = new KvCache(decoder.shape, ids.length + longest, decoder.inPlace)
  try {
    for (let past = 0; past < ids.length; past += CHUNK) {
      await beforePass()
      await cache.run(decoder.prefill, prefillFeeds(ids.slice(past, past + CHUNK), past))
    }
    const logits: Float64Array[] = []
    for (const group of groups) {
      await beforePass()
      const outputs = await cache.run(decoder.branch, { ...branchFeeds(group, ids.length), ...decoder.readout.feeds })
      let row = 0
      for (const { branch, question } of group) {
        logits[question] = decoder.readout.read(outputs, row, questions[question] as Question)
        row += branch.rows.length
      }
    }
    return logits
  } finally {
    cache.clear()
  }
}

function groupSize(group: Group): number {
  return group.reduce((sum, { branch }) => sum + branch.ids.length, 0)
}
