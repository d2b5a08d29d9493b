import type { JobContext } from '../../jobs/job-context.ts'
import type { DecisionRequest } from '../../schemas/index.ts'
import type { QuestionReader, Reading } from '../decider.ts'
import type { Tokenizer } from '../tokenizer/tokenizer.ts'
import type { PlanLimits } from '../windows.ts'
import { WorkingMemory } from '../working-memory.ts'
import type { TreeTokens } from './tree-branch.ts'
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
  const memory = new WorkingMemory()
  function plan(request: DecisionRequest): TreePlan {
    try {
      return planTrees(request, tokens, limits)
    } finally {
      tokenizer.forget()
    }
  }

  async function readAll({ branches, scans, state }: TreePlan, context: JobContext): Promise<Reading> {
    const jobs = scans.map(({ windows, questions }) => {
      const reader = createTreeReader(
        model,
        questions.map((question) => branches[question]!),
        memory,
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
    for (const { windows, questions, reader } of jobs) {
      for (const { start, end } of windows) {
        const logits = await reader.read(tokens.trunk(state.slice(start, end)), beforePass)
        for (const [index, question] of questions.entries()) read[question]!.push(logits[index]!)
      }
    }
    context.onProgress?.({ stage: 'reading', done: total, total })
    return { logits: read }
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
