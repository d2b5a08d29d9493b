import type { JobContext } from '../../jobs/job-context.ts'
import type { QuestionReader, Reading } from '../decider.ts'
import type { Keeping, KeptStates } from '../kept/kept-states.ts'
import type { PlanLimits, Window } from '../windows.ts'
import { WorkingMemory } from '../working-memory.ts'
import { type Plan, planRequest } from './plan.ts'
import { countPasses, createWindowReader, type LanguageModel } from './read-window.ts'
import type { ReadAnswer } from './readout.ts'
import { openStateWindow, type StateWindow } from './state-window.ts'
import type { Template } from './template.ts'

export interface LanguageModelParts {
  readonly model: LanguageModel
  readonly template: Template
  readonly limits: PlanLimits
  /** Keeps what was read of states, for calls that bring them again. @defaultValue nothing is kept */
  readonly kept?: KeptStates | undefined
}

/** Reads the state once a window, into a cache of keys and values, and the questions as its continuations. */
export function createLanguageModelReader(parts: LanguageModelParts): QuestionReader<Plan> {
  const { model, template, limits, kept } = parts
  const memory = new WorkingMemory()
  return {
    plan: (request) => planRequest(request, template, limits),
    async read(plan, context) {
      const { keepFor } = context
      const scans = await openScans(model, plan, kept && keepFor !== undefined ? { kept, tenant: keepFor } : undefined)
      try {
        return await readScans(model, memory, { plan, scans }, context)
      } finally {
        for (const { windows } of scans) for (const window of windows) window.close()
      }
    },
    async dispose() {
      kept?.forget(model.passes.branch)
      await model.passes.dispose()
    },
  }
}

interface OpenScan {
  readonly windows: readonly StateWindow[]
  readonly questions: readonly number[]
}

/** The windows of all scans, those that were kept held, so that none makes room for another of the same state. */
function openScans({ passes }: LanguageModel, plan: Plan, keeping: Keeping | undefined): Promise<OpenScan[]> {
  const open = ({ start, end }: Window) => {
    const ids = [
      ...(start === 0 ? plan.openings.first : plan.openings.others),
      ...plan.state.slice(start, end),
      ...(end < plan.state.length ? plan.closing : []),
    ]
    return openStateWindow(passes.branch, ids, keeping)
  }
  return Promise.all(
    plan.scans.map(async ({ windows, questions }) => ({ windows: await Promise.all(windows.map(open)), questions })),
  )
}

async function readScans(
  model: LanguageModel,
  memory: WorkingMemory,
  { plan, scans }: { readonly plan: Plan; readonly scans: readonly OpenScan[] },
  context: JobContext,
): Promise<Reading> {
  const read: ReadAnswer[][] = plan.questions.map(() => [])
  const pick = (questions: readonly number[]) => questions.map((question) => plan.branches[question]!)
  const total = scans.reduce((sum, { windows, questions }) => {
    const ofQuestions = countPasses(pick(questions).flat())
    return sum + windows.reduce((passes, window) => passes + window.passes + ofQuestions, 0)
  }, 0)
  let done = 0
  const beforePass = async () => {
    await context.turn()
    context.onProgress?.({ stage: 'reading', done: done++, total })
  }
  for (const { windows, questions } of scans) {
    const orders = pick(questions)
    const asked = questions.flatMap((question, index) => orders[index]!.map(() => plan.questions[question]!))
    const reader = createWindowReader(
      model,
      { questions: asked, branches: orders.flat() },
      Math.max(...windows.map(({ ids }) => ids.length)),
      memory,
    )
    try {
      for (const window of windows) {
        const answers = await reader.read(window, beforePass)
        for (const [index, question] of questions.entries()) {
          read[question]!.push(averageOrders(answers.splice(0, orders[index]!.length)))
        }
      }
    } finally {
      await reader.close()
    }
  }
  context.onProgress?.({ stage: 'reading', done: total, total })
  const logits = read.map((windows) => windows.map((answer) => answer.logits))
  const masses = read.map((windows) => Math.min(...windows.map(({ mass = Number.NaN }) => mass)))
  return masses.some(Number.isNaN) ? { logits } : { logits, masses }
}

/** Of the orders in which one question was asked: the mean of their logits, and the least mass. */
function averageOrders(answers: readonly ReadAnswer[]): ReadAnswer {
  const [first] = answers
  if (answers.length === 1) return first!
  const logits = first!.logits.map(
    (_, option) => answers.reduce((sum, answer) => sum + answer.logits[option]!, 0) / answers.length,
  )
  return { logits, mass: Math.min(...answers.map(({ mass = Number.NaN }) => mass)) }
}
