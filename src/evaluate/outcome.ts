import type { Question } from '../schemas/index.ts'

/** One answered, labelled question. */
export interface Outcome {
  readonly type: Question['type']
  /** Probability of each option, summing to 1; for a noul yes, then no. */
  readonly probabilities: readonly number[]
  /** Index of the right option. */
  readonly gold: number
}

/** The option that the answer gives: of equal ones the first. */
export function winnerOf(probabilities: readonly number[]): number {
  return probabilities.indexOf(Math.max(...probabilities))
}

export function isRight({ probabilities, gold }: Outcome): boolean {
  return winnerOf(probabilities) === gold
}
