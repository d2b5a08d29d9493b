import { choiceConfidence, noulConfidence, scoreConfidence } from '../decide/confidence.ts'
import { isRight, type Outcome } from './outcome.ts'

/** The outcome when answers below a confidence are left to somebody else. */
export interface CoveragePoint {
  /** `min_confidence` that gives it, with no more decimals than that needs. */
  readonly threshold: number
  /** Share of answers that are decided. */
  readonly coverage: number
  /** Share of the decided answers that are wrong. */
  readonly error: number
}

/** The confidence that the answer to this question has on the wire. */
export function confidenceOf({ type, probabilities }: Outcome): number {
  if (type === 'noul') return noulConfidence(probabilities[0]!)
  return type === 'choice' ? choiceConfidence(probabilities) : scoreConfidence(probabilities)
}

/** From the surest answer alone to all of them, one point for each confidence that occurs. */
export function coverageCurve(outcomes: readonly Outcome[]): CoveragePoint[] {
  const sorted = outcomes
    .map((outcome) => ({ confidence: confidenceOf(outcome), wrong: isRight(outcome) ? 0 : 1 }))
    .toSorted((a, b) => b.confidence - a.confidence)
  const points: CoveragePoint[] = []
  let wrong = 0
  for (const [index, answer] of sorted.entries()) {
    wrong += answer.wrong
    // Answers of equal confidence are decided together.
    const below = sorted[index + 1]?.confidence ?? -1
    if (below === answer.confidence) continue
    const decided = index + 1
    const threshold = shortThreshold(answer.confidence, below)
    points.push({ threshold, coverage: decided / sorted.length, error: wrong / decided })
  }
  return points
}

/** What decides answers of this confidence and none of that below, rounded down to three decimals or as many as it needs: it is copied by hand. */
function shortThreshold(confidence: number, below: number): number {
  for (let unit = 1e3; unit <= 1e12; unit *= 10) {
    const short = Math.floor(confidence * unit) / unit
    if (short > below && short <= confidence) return short
  }
  return confidence
}
