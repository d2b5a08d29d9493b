import type { Question } from '../../schemas/index.ts'
import { countGroupTokens, groupBranches } from '../group-branches.ts'
import type { WorkingMemory } from '../working-memory.ts'
import { BranchBias, biasLength } from './branch-bias.ts'
import type { Passes } from './open-passes.ts'
import { branchFeeds } from './passes.ts'
import type { ReadAnswer, Readout } from './readout.ts'
import type { StateWindow } from './state-window.ts'
import type { Branch } from './template.ts'

/**
 * Most question tokens a pass, unless one question alone is longer. Every token is computed against all of its pass, so
 * shorter passes compute less that is blocked; below this, two threads wait for each other too often (bench/NOTES.md).
 */
const GROUP = 256

/** A causal language model as it is run: over a state, over the questions behind it, and to read out their answers. */
export interface LanguageModel {
  readonly passes: Passes
  readonly readout: Readout
}

export interface WindowQuestions {
  readonly questions: readonly Question[]
  readonly branches: readonly Branch[]
}

/** Reads the windows of one request, one after the other. */
export interface WindowReader {
  /**
   * Reads one window and answers every question on it: the state once, in chunks, unless it was kept, then the questions in packed passes.
   * `beforePass` is awaited before every pass and may throw to stop. Returns what it read of each question, in order.
   */
  read(window: StateWindow, beforePass: () => Promise<void>): Promise<ReadAnswer[]>
  /** Overwrites what was read and gives the memory back. To be called once, at the end. */
  close(): Promise<void>
}

/** The number of passes that questions take behind a window, for progress. */
export function countPasses(branches: readonly Branch[]): number {
  return groupBranches(branches, GROUP).length
}

/** A reader for windows of at most `longest` tokens, which share one cache and one bias. */
export function createWindowReader(
  model: LanguageModel,
  { questions, branches }: WindowQuestions,
  longest: number,
  memory: WorkingMemory,
): WindowReader {
  const groups = groupBranches(branches, GROUP)
  const widest = Math.max(...groups.map(countGroupTokens))
  const { prefill, branch } = model.passes
  const lengths = prefill.lengths(longest)
  const lent = memory.lend([...lengths, biasLength(widest, longest)])
  const cache = prefill.openCache(longest, lent.arrays.slice(0, lengths.length))
  const bias = new BranchBias(lent.arrays[lengths.length]!)
  return {
    async read(window, beforePass) {
      await window.fill(cache, beforePass)
      const answers: ReadAnswer[] = []
      for (const group of groups) {
        await beforePass()
        const feeds = { ...branchFeeds(group, window.ids.length, bias), ...model.readout.feeds }
        const outputs = await cache.read(branch, feeds)
        for (const [row, { branch: asked, question }] of group.entries()) {
          const { logits, ...read } = model.readout.read(outputs, row, questions[question]!)
          answers[question] = { ...read, logits: asked.turned ? logits.toReversed() : logits }
        }
      }
      window.keep(cache)
      // The next window begins with the group whose bias is there.
      groups.reverse()
      return answers
    },
    async close() {
      await cache.clear()
      lent.giveBack()
    },
  }
}
