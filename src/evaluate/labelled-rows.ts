import { InvalidRequestError } from '../errors/index.ts'
import {
  type DecisionRequestInput,
  type DecisionRequest,
  parseDecisionRequest,
  type Question,
  type QuestionsInput,
} from '../schemas/index.ts'

/** The right answer of a question: yes or no, the key of an option, or the index of a level (0 for the first). */
export type Label = boolean | string | number

/** A decision request with the right answers of some or all of its questions. */
export interface LabelledRow extends DecisionRequestInput<QuestionsInput> {
  /** Name of a question to its right answer. */
  readonly labels: Readonly<Record<string, Label>>
}

/** A labelled question of a row that was checked. */
export interface LabelledQuestion {
  readonly name: string
  readonly question: Question
  /** Index of the right option: for a noul 0 is yes and 1 is no. */
  readonly gold: number
}

/**
 * Checks one row before anything is computed.
 *
 * @param index of the row, for errors
 * @param parse checks the request in it; @defaultValue with the usual limits
 * @throws InvalidRequestError naming row and field
 */
export function readLabels(
  row: LabelledRow,
  index: number,
  parse: (body: unknown) => DecisionRequest = parseDecisionRequest,
): LabelledQuestion[] {
  const path = `rows.${index}`
  const { questions } = parseRow(row, index, parse)
  const labels: unknown = row.labels
  if (typeof labels !== 'object' || labels === null || Array.isArray(labels) || Object.keys(labels).length === 0) {
    throw new InvalidRequestError(
      `${path}.labels`,
      'must be an object from question name to right answer, with one at least',
    )
  }
  return Object.entries(labels as Record<string, Label>).map(([name, label]) => {
    const question = Object.hasOwn(questions, name) ? questions[name] : undefined
    const field = `${path}.labels.${name}`
    if (!question)
      throw new InvalidRequestError(field, `no question of that name; there are ${Object.keys(questions).join(', ')}`)
    return { name, question, gold: goldOf(question, label, field) }
  })
}

/** The names that the options of a question have in reports and in answers. */
export function optionNames(question: Question): string[] {
  if (question.type === 'noul') return ['yes', 'no']
  return question.type === 'choice'
    ? Object.keys(question.criteria)
    : question.criteria.map((_, index) => String(index))
}

function parseRow(row: LabelledRow, index: number, parse: (body: unknown) => DecisionRequest) {
  try {
    return parse(row)
  } catch (thrown) {
    throw inRow(thrown, index)
  }
}

/** What was thrown of the request in a row: a field that is refused is named as one of that row. */
export function inRow(thrown: unknown, index: number): unknown {
  if (!InvalidRequestError.isInstance(thrown)) return thrown
  const loc = ['rows', String(index), ...thrown.loc]
  return new InvalidRequestError(loc.join('.'), thrown.reason, { loc, cause: thrown })
}

function goldOf(question: Question, label: Label, field: string): number {
  if (question.type === 'noul') {
    if (typeof label === 'boolean') return label ? 0 : 1
    throw new InvalidRequestError(field, `must be true or false, got ${JSON.stringify(label)}`)
  }
  const names = optionNames(question)
  const isChoice = question.type === 'choice'
  const gold = isChoice ? names.findIndex((name) => name === keyOf(label)) : levelOf(label)
  if (gold >= 0 && gold < names.length) return gold
  const expected = isChoice ? `one of ${names.join(', ')}` : `a level from 0 to ${names.length - 1}`
  throw new InvalidRequestError(field, `must be ${expected}, got ${JSON.stringify(label)}`)
}

/** Rows come from files: a key of digits may be written as a number, and `true` without quotes. */
function keyOf(label: unknown): string | undefined {
  return ['string', 'number', 'boolean'].includes(typeof label) ? String(label) : undefined
}

/** Nothing else is taken as a number: `Number` makes level 0 of a label that is missing. */
function levelOf(label: unknown): number {
  if (typeof label === 'string' && /^\d+$/.test(label)) return Number(label)
  return typeof label === 'number' && Number.isInteger(label) ? label : -1
}
