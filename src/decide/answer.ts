import type { Answer, Question } from '../schemas/index.ts'
import { toProbabilities } from './calibrate.ts'
import { choiceConfidence, noulConfidence, scoreConfidence } from './confidence.ts'

/** `decided` is inclusive: a confidence equal to the threshold counts as decided. */
function verdict(confidence: number, threshold: number | undefined): { decided?: boolean } {
  return threshold === undefined ? {} : { decided: confidence >= threshold }
}

/**
 * The wire answer (spec section 2.6) from calibrated logits. Everything is computed from the very probabilities that are
 * returned, and probabilities are never rounded. `threshold` is the `min_confidence` in force for the question, if any.
 */
export function answerQuestion(question: Question, logits: ArrayLike<number>, threshold: number | undefined): Answer {
  const probabilities = toProbabilities(logits)
  if (question.type === 'noul') {
    const noul = probabilities[0]!
    const confidence = noulConfidence(noul)
    return { type: 'noul', noul, ...(threshold === undefined ? {} : { confidence, ...verdict(confidence, threshold) }) }
  }
  const most = probabilities.indexOf(Math.max(...probabilities))
  if (question.type === 'choice') {
    const keys = Object.keys(question.criteria)
    const confidence = choiceConfidence(probabilities)
    return {
      type: 'choice',
      choice: keys[most]!,
      probabilities: Object.fromEntries(keys.map((key, index) => [key, probabilities[index]!])),
      confidence,
      ...verdict(confidence, threshold),
    }
  }
  const confidence = scoreConfidence(probabilities)
  const mean = probabilities.reduce((sum, probability, index) => sum + index * probability, 0)
  return {
    type: 'score',
    // Rounding may carry the sum past the last level; clients compare strictly.
    score: Math.min(mean, probabilities.length - 1),
    legend: Object.fromEntries(question.criteria.map((level, index) => [String(index), level])),
    probabilities: Object.fromEntries(probabilities.map((probability, index) => [String(index), probability])),
    confidence,
    ...verdict(confidence, threshold),
  }
}

/** The probabilities of an answer in the order of the question's options. */
export function probabilitiesOf(question: Question, answer: Answer): number[] {
  if (answer.type === 'noul') return [answer.noul, 1 - answer.noul]
  const names = question.type === 'choice' ? Object.keys(question.criteria) : Object.keys(answer.probabilities)
  return names.map((name) => answer.probabilities[name] ?? 0)
}
