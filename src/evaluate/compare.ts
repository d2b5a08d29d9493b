import * as z from 'zod'
import { InvalidRequestError } from '../errors/index.ts'
import { mustBe, readOption } from '../options/index.ts'
import type { Evaluation } from './evaluate.ts'

/** Two models on the same rows. */
export interface Comparison {
  /** Questions that only the first model answered right. */
  readonly onlyFirst: number
  /** Questions that only the second one answered right. */
  readonly onlySecond: number
  /** Accuracy of the first less that of the second, -1 to 1: 0.05 are five points in favour of the first. */
  readonly difference: number
  /** How far the 95 % interval of that difference, over paired questions, reaches from it towards 0: one within it may be chance. */
  readonly margin: number
}

const EVALUATION = z.custom<Evaluation>(
  (value) => Array.isArray((value as Partial<Evaluation> | null | undefined)?.right),
  mustBe('an evaluation, as evaluate gives it'),
)

/**
 * Compares two models on the same rows, question by question, which tells them apart with far fewer rows than two accuracies do. Rows that either
 * could not answer are left out.
 *
 * @example
 * await using other = await createEngine({ models: { 'decide-mini': './my-copy' } })
 * const { difference, margin } = compareEvaluations(await evaluate(engine, rows), await evaluate(other, rows))
 * if (Math.abs(difference) > margin) console.log(`${(100 * difference).toFixed(1)} points of accuracy`)
 *
 * @throws InvalidRequestError where one is no evaluation, or their numbers of questions differ
 */
export function compareEvaluations(first: Evaluation, second: Evaluation): Comparison {
  readOption('first', EVALUATION, first)
  readOption('second', EVALUATION, second)
  const [asked, other] = [first.right.length, second.right.length]
  if (asked !== other) {
    throw new InvalidRequestError('evaluations', `must be of the same rows, got ${asked} and ${other} questions`)
  }
  const pairs = first.right.map((right, index) => [right, second.right[index]!] as const)
  const answered = pairs.filter((pair) => !pair.includes(null))
  const n = answered.length
  if (n === 0) throw new InvalidRequestError('evaluations', 'must have a row that both models have answered, got none')
  const onlyFirst = answered.filter(([one, another]) => one && !another).length
  const onlySecond = answered.filter(([one, another]) => another && !one).length
  const difference = (onlyFirst - onlySecond) / n
  return { onlyFirst, onlySecond, difference, margin: marginOf(onlyFirst, onlySecond, n) }
}

/**
 * By the interval of Agresti and Min for pairs, which adds half a question to each of the four outcomes, so that it has a width where models never
 * differ or always the same way. Its middle is nearer to 0 than the difference: the margin reaches to its end on that side.
 */
function marginOf(onlyFirst: number, onlySecond: number, n: number): number {
  const pairs = n + 2
  const apart = Math.abs(onlyFirst - onlySecond)
  const middle = apart / pairs
  const half = 1.96 * Math.sqrt(((onlyFirst + onlySecond + 1) / pairs - middle ** 2) / pairs)
  return apart / n - middle + half
}
