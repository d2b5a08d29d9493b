import { orderlessKey, questionKey } from '../decide/own-calibration.ts'
import type { AnsweredQuestion } from './evaluate.ts'
import { optionNames } from './labelled-rows.ts'
import { groupBy } from './metrics.ts'

/**
 * The answers to each question, in the order in which questions come first.
 *
 * @param isOrderless whether the model gives the same answer in whatever order options come: then rows that have them in another order are of one
 * question, and their answers are written in the order of the first
 */
export function groupByQuestion(answered: readonly AnsweredQuestion[], isOrderless: boolean): AnsweredQuestion[][] {
  const keyOf = isOrderless ? orderlessKey : questionKey
  const groups = [...groupBy(answered, ({ question }) => keyOf(question)).values()]
  return groups.map((group) => group.map((one) => orderAs(one, group[0]!)))
}

/** An answer as it would have been with the options in the order of another one's. */
function orderAs(one: AnsweredQuestion, { question }: AnsweredQuestion): AnsweredQuestion {
  const [given, wanted] = [optionNames(one.question), optionNames(question)]
  const places = wanted.map((name) => given.indexOf(name))
  if (places.every((place, index) => place === index)) return { ...one, question }
  return {
    ...one,
    question,
    probabilities: places.map((place) => one.probabilities[place]!),
    gold: places.indexOf(one.gold),
    features: one.features && orderRows(one.features, places),
  }
}

/** @param features [K + 1, width], whose first row is that of the question */
function orderRows(features: Float32Array, places: readonly number[]): Float32Array {
  const width = features.length / (places.length + 1)
  const ordered = features.slice()
  for (const [index, place] of places.entries())
    ordered.set(features.subarray((place + 1) * width, (place + 2) * width), (index + 1) * width)
  return ordered
}
