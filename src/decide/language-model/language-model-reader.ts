import type { JobContext } from '../../jobs/job-context.ts'
import type { QuestionReader } from '../decider.ts'
import type { Tokenizer } from '../tokenizer/tokenizer.ts'
import type { PlanLimits } from '../windows.ts'
import { WorkingMemory } from '../working-memory.ts'
import { countPlan, type Plan, planRequest } from './plan.ts'
import { countPasses, createWindowReader, type LanguageModel } from './read-window.ts'
import type { Template } from './template.ts'

export interface LanguageModelParts {
  readonly model: LanguageModel
  readonly template: Template
  readonly tokenizer: Tokenizer
  readonly limits: PlanLimits
}

/** Reads the state once a window, into a cache of keys and values, and the questions as its continuations. */
export function createLanguageModelReader(parts: LanguageModelParts): QuestionReader<Plan> {
  const { model, template, tokenizer, limits } = parts
  const memory = new WorkingMemory()
  return {
    plan(request) {
      try {
        return planRequest(request, template, limits)
      } finally {
        tokenizer.forget()
      }
    },
    count: countPlan,
    read: (plan, context) => readScans(model, memory, plan, context),
    dispose: () => model.passes.dispose(),
  }
}

async function readScans(
  model: LanguageModel,
  memory: WorkingMemory,
  plan: Plan,
  context: JobContext,
): Promise<Float64Array[][]> {
  const scans = plan.scans.map(({ windows, questions }) => ({
    windows: windows.map(({ start, end }) => [
      ...(start === 0 ? plan.openings.first : plan.openings.others),
      ...plan.state.slice(start, end),
      ...(end < plan.state.length ? plan.closing : []),
    ]),
    questions,
  }))
  const read: Float64Array[][] = plan.questions.map(() => [])
  const pick = <T>(all: readonly T[], questions: readonly number[]) => questions.map((question) => all[question] as T)
  const total = scans.reduce((sum, { windows, questions }) => {
    const branches = pick(plan.branches, questions)
    return sum + windows.reduce((passes, ids) => passes + countPasses(ids.length, branches), 0)
  }, 0)
  let done = 0
  const beforePass = async () => {
    await context.turn()
    context.onProgress?.({ stage: 'reading', done: done++, total })
  }
  for (const { windows, questions } of scans) {
    const asked = { questions: pick(plan.questions, questions), branches: pick(plan.branches, questions) }
    const reader = createWindowReader(model, asked, Math.max(...windows.map((ids) => ids.length)), memory)
    try {
      for (const ids of windows) {
        const logits = await reader.read(ids, beforePass)
        for (const [index, question] of questions.entries()) read[question]!.push(logits[index]!)
      }
    } finally {
      await reader.close()
    }
  }
  context.onProgress?.({ stage: 'reading', done: total, total })
  return read
}
