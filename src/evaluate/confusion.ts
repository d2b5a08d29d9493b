import { type Outcome, winnerOf } from './outcome.ts'

/** How often each right answer (rows) was answered with each option (columns), in the order of `options`. */
export interface Confusion {
  /** Names of the options, in the order of rows and columns. */
  readonly options: readonly string[]
  /** Rows are right answers, columns the given ones. */
  readonly counts: readonly (readonly number[])[]
}

/** @param outcomes answers to one question, all with these options */
export function countConfusions(outcomes: readonly Outcome[], options: readonly string[]): Confusion {
  const counts = options.map(() => options.map(() => 0))
  for (const { probabilities, gold } of outcomes) counts[gold]![winnerOf(probabilities)]!++
  return { options, counts }
}
