import type { DecisionRequest } from '../../schemas/index.ts'
import type { PlannedRequest } from '../decider.ts'
import { refuseQuestion } from '../refuse-question.ts'
import { type PlanLimits, splitWindows, type Window } from '../windows.ts'
import { extent, type TreeBranch, type TreeTokens } from './tree-branch.ts'
import { treeText } from './tree-text.ts'

/** Most tokens that one question may have in all its options together. */
const LONGEST_BRANCH = 4096
/** Tokens of the state that are read beside even the longest question; no window of a bundle is smaller. */
const SMALLEST_WINDOW = 64
/** `[CLS]` and `[SEP]` around a window. */
export const FRAME = 2

/** The state in windows of one size, and the questions that are read in these. */
interface Scan {
  readonly windows: readonly Window[]
  /** The questions that are read there. */
  readonly questions: readonly number[]
}

/** A request as tokens, checked against the model's limits before any work is done. */
export interface TreePlan extends PlannedRequest {
  readonly branches: readonly TreeBranch[]
  readonly state: readonly number[]
  readonly scans: readonly Scan[]
}

/** @throws InvalidRequestError naming the question whose text does not fit the model beside a state */
export function planTrees(request: DecisionRequest, tokens: TreeTokens, limits: PlanLimits): TreePlan {
  const names = Object.keys(request.questions)
  const questions = Object.values(request.questions)
  const room = limits.positions - FRAME - SMALLEST_WINDOW
  const branches: TreeBranch[] = []
  for (const [index, question] of questions.entries()) {
    // Each is checked before the next is made into tokens, so that a body of too long ones costs no more than its first.
    const branch = tokens.question(question, LONGEST_BRANCH)
    branches.push(branch)
    if (branch.ids.length > LONGEST_BRANCH)
      refuseQuestion(names[index]!, `has more than the ${LONGEST_BRANCH} tokens that are read of a question`)
    const needs = extent(branch)
    if (needs > room) {
      refuseQuestion(
        names[index]!,
        `takes ${needs} tokens with its longest option, and this model has room for ${room}`,
      )
    }
  }
  const state = tokens.state(treeText(request.state))
  const sizes = { state: state.length + FRAME, questions: branches.map(({ ids }) => ids.length) }
  return { names, questions, sizes, branches, state, scans: planScans(state.length, branches, limits) }
}

/**
 * A question gets the largest window that leaves it room, of sizes that are halved, so that few are in use. That depends on the question
 * and the state alone: none may move the windows that others read.
 */
function planScans(length: number, branches: readonly TreeBranch[], limits: PlanLimits): Scan[] {
  const bySize = new Map<number, number[]>()
  for (const [question, branch] of branches.entries()) {
    const fits = limits.positions - FRAME - extent(branch)
    let size = limits.window.tokens
    if (length <= Math.min(size, fits)) size = length
    else while (size > fits) size = Math.max(Math.ceil(size / 2), SMALLEST_WINDOW)
    bySize.set(size, [...(bySize.get(size) ?? []), question])
  }
  return Array.from(bySize, ([size, questions]) => {
    const overlap = Math.min(limits.window.overlap, Math.floor(size / 4))
    return { windows: splitWindows(length, size, overlap), questions }
  })
}
