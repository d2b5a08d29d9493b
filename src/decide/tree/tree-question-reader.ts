import type { JobContext } from '../../jobs/job-context.ts'
import type { QuestionReader, Reading } from '../decider.ts'
import type { KeptStates } from '../kept/kept-states.ts'
import type { PlanLimits, Window } from '../windows.ts'
import type { TreeBranch, TreeTokens } from './tree-branch.ts'
import { planTrees, type TreePlan } from './tree-plan.ts'
import { createTreeReader, type TreeModel } from './tree-reader.ts'
import { openTreeWindow } from './tree-window.ts'

export interface TreeParts {
  readonly model: TreeModel
  readonly tokens: TreeTokens
  readonly limits: PlanLimits
  /** Keeps what was read of states, for calls that bring them again. @defaultValue nothing is kept */
  readonly kept?: KeptStates | undefined
}

/** Reads the state once a window, and the questions as trees behind it. */
export function createTreeQuestionReader(parts: TreeParts): QuestionReader<TreePlan> {
  const { model, tokens, limits, kept } = parts

  async function readAll(plan: TreePlan, context: JobContext, wanted: readonly string[]): Promise<Reading> {
    const jobs = await openScans(parts, plan, context.keepFor)
    const passes = jobs.map(({ windows, reader }) =>
      windows.reduce((sum, window) => sum + window.passes + reader.passes, 0),
    )
    const total = passes.reduce((sum, own) => sum + own, 0)
    let done = 0
    const beforePass = async () => {
      await context.turn()
      context.onProgress?.({ stage: 'reading', done: done++, total })
    }
    const read: Float64Array[][] = plan.branches.map(() => [])
    const features = keepFeatures(plan, wanted, model.width)
    try {
      for (const { windows, questions, reader } of jobs) {
        for (const window of windows) {
          const onRows = (index: number, rows: Float32Array) => features.add(questions[index]!, rows)
          const logits = await reader.read(window, beforePass, onRows)
          for (const [index, question] of questions.entries()) read[question]!.push(logits[index]!)
        }
      }
    } finally {
      for (const { windows } of jobs) for (const window of windows) window.close()
    }
    context.onProgress?.({ stage: 'reading', done: total, total })
    return { logits: read, ...(wanted.length > 0 && { features: features.features }) }
  }

  return {
    plan: (request) => planTrees(request, tokens, limits),
    read: readAll,
    async dispose() {
      kept?.forget(model.trunk)
      await Promise.all([model.trunk.dispose(), model.branch.dispose(), model.scorer.dispose()])
    },
  }
}

/** The windows of each size, those that were kept held, with the questions that are read there. */
function openScans(
  { model, tokens, kept }: TreeParts,
  { branches, scans, state }: TreePlan,
  keepFor: string | undefined,
) {
  const keeping = kept && keepFor !== undefined ? { kept, tenant: keepFor } : undefined
  const open = ({ start, end }: Window) => openTreeWindow(model.trunk, tokens.trunk(state.slice(start, end)), keeping)
  return Promise.all(
    scans.map(async ({ windows, questions }) => {
      const own = questions.map((question) => branches[question]!)
      // Those that were kept are held from now on, so that none makes room for another of the same state.
      return { windows: await Promise.all(windows.map(open)), questions, reader: createTreeReader(model, own) }
    }),
  )
}

/** Keeps what is read of the questions of some names: [question][window][(K + 1) · width]. */
function keepFeatures({ names, branches }: TreePlan, wanted: readonly string[], width: number) {
  const features: Float32Array[][] = branches.map(() => [])
  return {
    features,
    add(question: number, rows: Float32Array): void {
      if (wanted.includes(names[question]!)) features[question]!.push(orderRows(branches[question]!, rows, width))
    },
  }
}

/** A copy of what was read of a branch: the row of its decide token, then that of each option in the caller's order. */
function orderRows({ leafOf, rows: { length } }: TreeBranch, rows: Float32Array, width: number): Float32Array {
  const ordered = new Float32Array((leafOf.length + 1) * width)
  for (const [place, row] of [length - 1, ...leafOf].entries()) {
    ordered.set(rows.subarray(row * width, (row + 1) * width), place * width)
  }
  return ordered
}
