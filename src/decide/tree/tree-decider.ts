import type { DecisionRequest } from '../../schemas/index.ts'
import type { DecideContext, Decider } from '../decider.ts'
import type { PlanLimits } from '../plan.ts'
import { respond, type RespondSettings } from '../respond.ts'
import type { Tokenizer } from '../tokenizer.ts'
import { WorkingMemory } from '../working-memory.ts'
import type { TreeTokens } from './tree-branch.ts'
import { countTrees, planTrees, type TreePlan } from './tree-plan.ts'
import { createTreeReader, type TreeModel } from './tree-reader.ts'

export interface TreeDeciderParts {
  readonly model: TreeModel
  readonly manifest: RespondSettings
  readonly tokens: TreeTokens
  readonly tokenizer: Tokenizer
  readonly limits: PlanLimits
}

export function createTreeDecider({ model, manifest, tokens, tokenizer, limits }: TreeDeciderParts): Decider {
  const memory = new WorkingMemory()
  function plan(request: DecisionRequest): TreePlan {
    try {
      return planTrees(request, tokens, limits)
    } finally {
      tokenizer.forget()
    }
  }

  async function readAll({ branches, scans, state }: TreePlan, context: DecideContext): Promise<Float64Array[][]> {
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
    return read
  }

  return {
    countTokens: (request) => countTrees(plan(request)),
    logits: (request, context) => readAll(plan(request), context),
    async decide(request, context) {
      const started = performance.now()
      const planned = plan(request)
      const logits = await readAll(planned, context)
      return respond(manifest, { request, logits, inputTokens: countTrees(planned).input_tokens, started })
    },
    async dispose() {
      await Promise.all([model.trunk.dispose(), model.branch.dispose(), model.scorer.dispose()])
    },
  }
}
