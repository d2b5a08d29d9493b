import { InvalidRequestError } from '../../errors/index.ts'
import type { DecisionRequest } from '../../schemas/index.ts'
import type { PlannedRequest } from '../decider.ts'
import { optionCount } from '../option-count.ts'
import { refuseQuestion } from '../refuse-question.ts'
import { type PlanLimits, splitWindows, type Window } from '../windows.ts'
import type { Branch, Template } from './template.ts'

/** Most tokens one question may have: its pass has a bias of question × (state + question) entries. */
export const LONGEST_BRANCH = 4096

type Orders = readonly [Branch, ...Branch[]]

/** A request as tokens, checked against the model's limits before any work is done. */
export interface Plan extends PlannedRequest {
  /** Of each question: one branch, or one for each order of its options. */
  readonly branches: readonly Orders[]
  /** Before the first window of the state, and before every other. */
  readonly openings: { readonly first: readonly number[]; readonly others: readonly number[] }
  /** Behind every window of the state but its last. */
  readonly closing: readonly number[]
  readonly state: readonly number[]
  readonly scans: readonly Scan[]
}

/** The state whole or in windows, and which questions are read there. */
interface Scan {
  readonly windows: readonly Window[]
  readonly questions: readonly number[]
}

/** @throws InvalidRequestError naming the question that the model cannot answer, or whose text does not fit it beside any state. */
export function planRequest(request: DecisionRequest, template: Template, limits: PlanLimits): Plan {
  const names = Object.keys(request.questions)
  const questions = Object.values(request.questions)
  for (const [index, question] of questions.entries()) {
    if (question.type !== 'choice' || optionCount(question) <= template.mostOptions) continue
    const name = names[index]!
    const reason = `has ${optionCount(question)} options, and this model tells at most ${template.mostOptions} apart`
    throw new InvalidRequestError(`questions.${name}.criteria`, reason, { loc: ['questions', name, 'criteria'] })
  }
  // What windows leave for a question does not depend on the questions asked: none may move those that others read. At least
  // half of the positions belong to the state.
  const room = Math.min(Math.floor(limits.positions / 2), LONGEST_BRANCH)
  const branches: Orders[] = []
  for (const [index, question] of questions.entries()) {
    // Each is checked before the next is made into tokens, so that a body of too long ones costs no more than its first.
    const orders = template.question(question, LONGEST_BRANCH)
    branches.push(orders)
    if (longest(orders) > room) {
      refuseQuestion(names[index]!, `has more than the ${room} tokens that this model reads of a question`)
    }
  }
  const { opening, closing } = template
  const { opening: first, ids: state } = template.state(request.state)
  const frame = opening.length + closing.length
  const scans = planScans(state.length, branches, { ...limits, frame, room })
  // What is read a second time, in another order, is not counted again: usage describes the request.
  const sizes = { state: first.length + state.length, questions: branches.map(([given]) => given.ids.length) }
  return { names, questions, sizes, branches, openings: { first, others: opening }, closing, state, scans }
}

/**
 * A question sees the whole state where that and the question fit; the others share windows that leave room for the
 * longest. What a question gets depends on it and the state alone.
 */
function planScans(
  length: number,
  branches: readonly Orders[],
  { positions, window, frame, room }: PlanLimits & { readonly frame: number; readonly room: number },
): Scan[] {
  const size = Math.min(window.tokens, positions - room - frame)
  const fits = (orders: Orders) =>
    length <= size || (length <= window.tokens && frame + length + longest(orders) <= positions)
  const all = [...branches.keys()]
  const whole = all.filter((question) => fits(branches[question]!))
  const rest = all.filter((question) => !fits(branches[question]!))
  const overlap = Math.min(window.overlap, Math.floor(size / 4))
  return [
    { windows: [{ start: 0, end: length }], questions: whole },
    { windows: splitWindows(length, size, overlap), questions: rest },
  ].filter(({ questions }) => questions.length > 0)
}

function longest(orders: Orders): number {
  return Math.max(...orders.map(({ ids }) => ids.length))
}
