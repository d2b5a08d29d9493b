import { expect } from 'vitest'
import {
  type DecisionRequest,
  type DecisionResponse,
  decisionResponseSchema,
  type Question,
} from '../../src/schemas/index.ts'

interface AnyAnswer {
  readonly type: string
  readonly noul?: number
  readonly choice?: string
  readonly score?: number
  readonly legend?: object
  readonly probabilities?: Readonly<Record<string, number>>
  readonly confidence?: number
  readonly decided?: boolean
}

const ENVELOPE = ['answers', 'latency_ms', 'model', 'usage']
/** Beside the envelope where something is to be warned of; the service takes it off. */
const IN_PROCESS = 'warnings'

/**
 * Fails the test unless the response is exactly what the request calls for: the envelope, one answer per question in
 * the order asked, the fields of its type and no others, probabilities that sum to 1 within 1e-9, the choice an argmax,
 * the score the mean, the confidence by its formula and `decided` where a threshold applies.
 */
export function checkDecisionResponse(request: DecisionRequest, response: DecisionResponse): void {
  expect(decisionResponseSchema.safeParse(response).error?.issues).toBeUndefined()
  const fields = Object.keys(response).filter((name) => name !== IN_PROCESS)
  expect(fields.toSorted()).toEqual(ENVELOPE)
  expect(response.usage.output_tokens).toBe(0)
  expect(Object.keys(response.answers)).toEqual(Object.keys(request.questions))
  for (const [name, question] of Object.entries(request.questions)) {
    checkAnswer(question, response.answers[name] as AnyAnswer, question.min_confidence ?? request.min_confidence)
  }
}

function checkAnswer(question: Question, answer: AnyAnswer, threshold: number | undefined): void {
  expect(answer.type).toBe(question.type)
  const extra = threshold === undefined ? [] : ['decided']
  if (question.type === 'noul') {
    checkFields(answer, threshold === undefined ? ['noul'] : ['confidence', 'decided', 'noul'])
    if (answer.confidence !== undefined) expect(answer.confidence).toBeCloseTo(Math.abs(2 * answer.noul! - 1), 9)
  } else if (question.type === 'choice') {
    checkFields(answer, ['choice', 'confidence', 'probabilities', ...extra])
    checkChoice(Object.keys(question.criteria), answer)
  } else {
    checkFields(answer, ['confidence', 'legend', 'probabilities', 'score', ...extra])
    checkScore(question.criteria, answer)
  }
  if (threshold !== undefined) expect(answer.decided).toBe(answer.confidence! >= threshold)
}

function checkFields(answer: AnyAnswer, fields: readonly string[]): void {
  expect(Object.keys(answer).sort()).toEqual([...fields, 'type'].sort())
}

function checkChoice(options: readonly string[], answer: AnyAnswer): void {
  const law = lawOf(answer, options)
  const largest = Math.max(...law)
  expect(answer.probabilities![answer.choice!]).toBe(largest)
  expect(answer.confidence).toBeCloseTo((largest - 1 / law.length) / (1 - 1 / law.length), 9)
}

function checkScore(levels: readonly unknown[], answer: AnyAnswer): void {
  const law = lawOf(
    answer,
    levels.map((_, index) => String(index)),
  )
  expect(toPlain(answer.legend)).toEqual(toPlain({ ...levels }))
  expect(answer.score).toBeCloseTo(
    law.reduce((sum, p, level) => sum + p * level, 0),
    9,
  )
  expect(answer.score).toBeLessThanOrEqual(levels.length - 1)
  const largest = Math.max(...law)
  const modes = law.flatMap((p, level) => (largest - p > 1e-12 ? [] : [level]))
  const even = deviation(
    law.map(() => 1 / law.length),
    (law.length - 1) / 2,
  )
  const sharpness = Math.min(...modes.map((mode) => 1 - deviation(law, mode) / even))
  expect(answer.confidence).toBeCloseTo(Math.max(0, sharpness), 9)
}

function lawOf(answer: AnyAnswer, names: readonly string[]): readonly number[] {
  expect(Object.keys(answer.probabilities!).sort()).toEqual([...names].sort())
  const law = names.map((name) => answer.probabilities![name]!)
  expect(Math.abs(law.reduce((sum, p) => sum + p, 0) - 1)).toBeLessThanOrEqual(1e-9)
  return law
}

/** Mean distance from a level. */
function deviation(law: readonly number[], center: number): number {
  return law.reduce((sum, p, level) => sum + p * Math.abs(level - center), 0)
}

/** What the value is on the wire; objects without a prototype compare equal to others. */
function toPlain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
