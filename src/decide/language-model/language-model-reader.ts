import type { QuestionReader } from '../decider.ts'
import type { Tokenizer } from '../tokenizer/tokenizer.ts'
import { WorkingMemory } from '../working-memory.ts'
import type { PlanLimits } from '../windows.ts'
import { countPlan, type Plan, planRequest } from './plan.ts'
import { createWindowReader, type Decoder } from './read-window.ts'
import type { Template } from './template.ts'
import type { JobContext } from '../../jobs/job-context.ts'

export interface LanguageModelParts {
  readonly decoder: Decoder
  readonly template: Template
  readonly tokenizer: Tokenizer
  readonly limits: PlanLimits
}

/** Reads the state once a window, into a cache of keys and values, and the questions as its continuations. */
export function createLanguageModelReader(parts: LanguageModelParts): QuestionReader<Plan> {
  const { decoder, template, tokenizer, limits } = parts
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
    read: (plan, context) => readWindows(decoder, memory, plan, context),
    async dispose() {
      await decoder.prefill.dispose()
      await decoder.branch.dispose()
    },
  }
}

async function readWindows(
  decoder: Decoder,
  memory: WorkingMemory,
  plan: Plan,
  context: JobContext,
): Promise<Float64Array[][]> {
  const windows = plan.windows.map(({ start, end }) => [...plan.opening, ...plan.state.slice(start, end)])
  const reader = createWindowReader(decoder, plan, Math.max(...windows.map((ids) => ids.length)), memory)
  const total = windows.reduce((sum, ids) => sum + reader.countPasses(ids.length), 0)
  let done = 0
  const beforePass = async () => {
    await context.turn()
    context.onProgress?.({ stage: 'reading', done: done++, total })
  }
  const read: Float64Array[][] = []
  try {
    for (const ids of windows) read.push(await reader.read(ids, beforePass))
  } finally {
    await reader.close()
  }
  context.onProgress?.({ stage: 'reading', done: total, total })
  return plan.questions.map((_, question) => read.map((window) => window[question] as Float64Array))
}
