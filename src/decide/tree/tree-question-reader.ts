import type { JobContext } from '../../jobs/job-context.ts'
import type { DecisionRequest } from '../../schemas/index.ts'
import type { QuestionReader, Reading } from '../decider.ts'
import type { Tokenizer } from '../tokenizer/tokenizer.ts'
import type { PlanLimits } from '../windows.ts'
import type { TreeBranch, TreeTokens } from './tree-branch.ts'
import { countTrees, planTrees, type TreePlan } from './tree-plan.ts'
import { createTreeReader, type TreeModel } from './tree-reader.ts'

export interface TreeParts {
  readonly model: TreeModel
  readonly tokens: TreeTokens
  readonly tokenizer: Tokenizer
  readonly limits: PlanLimits
}

/** Reads the state once a window, and the questions as trees behind it. */
export function createTreeQuestionReader({ model, tokens, tokenizer, limits }: TreeParts): QuestionReader<TreePlan> {
  function plan(request: DecisionRequest): TreePlan {
    try {
      return planTrees(request, tokens, limits)
    } finally {
      tokenizer.forget()
    }
  }

  async function readAll(plan: TreePlan, context: JobContext, wanted: readonly string[]): Promise<Reading> {
    const { branches, scans, state } = plan
    const jobs = scans.map(({ windows, questions }) => {
      const reader = createTreeReader(
        model,
        questions.map((question) => branches[question]!),
      )
      return { windows, questions, reader }
    })
    const total = jobs.reduce((sum, { windows, reader }) => sum + windows.length * reader.passes, 0)
    let done = 0
    const beforePass = async () => {
      await context.turn()
      context.onProgress?.({ stage: 'reading', done: done++, total })
    }
    const read: Float64Array[][] = branches.map(() => [])
    const kept = keepFeatures(plan, wanted, model.width)
    for (const { windows, questions, reader } of jobs) {
      for (const { start, end } of windows) {
        const onRows = (index: number, rows: Float32Array) => kept.add(questions[index]!, rows)
        const logits = await reader.read(tokens.trunk(state.slice(start, end)), beforePass, onRows)
        for (const [index, question] of questions.entries()) read[question]!.push(logits[index]!)
      }
    }
    context.onProgress?.({ stage: 'reading', done: total, total })
    return { logits: read, ...(wanted.length > 0 && { features: kept.features }) }
  }

  return {
    plan,
    count: countTrees,
    read: readAll,
    async dispose() {
      await Promise.all([model.trunk.dispose(), model.branch.dispose(), model.scorer.dispose()])
    },
  }
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
