import { InvalidRequestError } from '../../errors/index.ts'
import type { DecisionRequest } from '../../schemas/index.ts'
import type { PlannedRequest, TokenCount } from '../decider.ts'
import { type Branch, extent } from '../branch.ts'
import { optionCount } from './readout.ts'
import { asText } from '../render-text.ts'
import type { Template } from './template.ts'
import { type PlanLimits, splitWindows, type Window } from '../windows.ts'

/** Most tokens one question may have: its pass has a bias of question × (state + question) entries. */
const LONGEST_BRANCH = 4096

/** A request as tokens, checked against the model's limits before any work is done. */
export interface Plan extends PlannedRequest {
  readonly branches: readonly Branch[]
  readonly opening: readonly number[]
  readonly state: readonly number[]
  readonly windows: readonly Window[]
}

/** @throws InvalidRequestError naming the question that the model cannot answer, or whose text does not fit it beside any state. */
export function planRequest(request: DecisionRequest, template: Template, limits: PlanLimits): Plan {
  const names = Object.keys(request.questions)
  const questions = Object.values(request.questions)
  for (const [index, question] of questions.entries()) {
    if (question.type !== 'choice' || optionCount(question) <= template.mostOptions) continue
    const name = names[index] as string
    const reason = `has ${optionCount(question)} options, and this model tells at most ${template.mostOptions} apart`
    throw new InvalidRequestError(`questions.${name}.criteria`, reason, { loc: ['questions', name, 'criteria'] })
  }
  // What is kept for a question does not depend on the questions asked: none may move the windows that others read. At least
  // half of the positions belong to the state.
  const room = Math.min(Math.floor(limits.positions / 2), LONGEST_BRANCH)
  const branches: Branch[] = []
  for (const [index, question] of questions.entries()) {
    // Each is checked before the next is made into tokens, so that a body of too long ones costs no more than its first.
    const branch = template.question(question, LONGEST_BRANCH)
    branches.push(branch)
    const needs = extent(branch)
    if (needs > room || branch.ids.length > LONGEST_BRANCH) {
      const most = needs > room ? room : LONGEST_BRANCH
      const name = names[index] as string
      throw new InvalidRequestError(
        `questions.${name}`,
        `its text has more than the ${most} tokens that this model reads of a question`,
        {
          loc: ['questions', name],
        },
      )
    }
  }
  const { opening } = template
  const state = template.state(asText(request.state))
  const size = Math.min(limits.window.tokens, limits.positions - room - opening.length)
  const overlap = Math.min(limits.window.overlap, Math.floor(size / 4))
  return { names, questions, branches, opening, state, windows: splitWindows(state.length, size, overlap) }
}

export function countPlan(plan: Plan): TokenCount {
  const state = plan.opening.length + plan.state.length
  const sizes = plan.branches.map((branch) => branch.ids.length)
  return {
    input_tokens: sizes.reduce((sum, size) => sum + size, state),
    state,
    questions: Object.fromEntries(plan.names.map((name, index) => [name, sizes[index] as number])),
  }
}
