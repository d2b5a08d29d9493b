import { orderlessKey, questionKey } from '../decide/own-calibration.ts'
import type { AnsweredQuestion } from './answered-question.ts'
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

/**
 * The answers, of which those to a question of one name and the same options have these in the order of the first: rows may ask with options in any
 * order, and what is counted is which option was right, not which place.
 */
export function alignOptions(answered: readonly AnsweredQuestion[]): AnsweredQuestion[] {
  const first = new Map<string, AnsweredQuestion>()
  return answered.map((one) => {
    const key = JSON.stringify([one.name, one.type, optionNames(one.question).toSorted()])
    const model = first.get(key) ?? one
    first.set(key, model)
    return orderAs(one, model)
  })
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
