import * as z from 'zod'
import { count, flag, optionTable, readOptions } from '../options/index.ts'
import type { DecisionRequest } from './checked-request.ts'
import { Fault, grouped } from './fault.ts'
import { LIMITS, type ParseSettings } from './limits.ts'
import { parseRequest } from './parse-request.ts'
import { isLong, minConfidenceSchema, questionSchema, withoutAbsent } from './question-schemas.ts'
import type { DecisionRequestInput as Input } from './question-types.ts'
import { LEVEL_JSON, readState } from './read-text.ts'
import { expected, ownRecord, reader, unicodeString } from './zod-reader.ts'

/** Body of a decision request. Fields it does not know are left out of the result. */
export const decisionRequestSchema = createDecisionRequestSchema(LIMITS.options.max)

/** A limit that is misspelt, or no number, would limit nothing. */
const SETTINGS = optionTable('parseDecisionRequest', {
  maxOptions: count(LIMITS.options.min).optional(),
  hidesMembers: flag.optional(),
} satisfies Record<keyof ParseSettings, unknown>)

/**
 * Checks a decision request and returns a copy that shares nothing with it. The copy keeps the order of the names, and
 * its maps have no prototype, so that `__proto__` and `constructor` are names like any other.
 *
 * @example
 * ```ts
 * const body: unknown = JSON.parse('{"state":"x","questions":{"angry":{"type":"noul","instructions":"Angry?"}}}')
 * const { questions } = parseDecisionRequest(body)
 * ```
 *
 * @throws InvalidRequestError for the first fault in document order, with the path of the field, or for a setting.
 */
export function parseDecisionRequest(body: unknown, settings: ParseSettings = {}): DecisionRequest {
  return createDecisionParser(readOptions(SETTINGS, settings))(body)
}

/**
 * A `parseDecisionRequest` for many requests with the same settings: making its schema takes longer than a check.
 */
export function createDecisionParser({
  maxOptions = LIMITS.options.max,
  hidesMembers = false,
}: ParseSettings): (body: unknown) => DecisionRequest {
  const isUsual = maxOptions === LIMITS.options.max
  const schema = isUsual ? decisionRequestSchema : createDecisionRequestSchema(maxOptions)
  return (body) => parseRequest(schema, body, !hidesMembers)
}

/** The same with another limit of options. */
export function createDecisionRequestSchema(maxOptions: number): z.ZodType<DecisionRequest, Input> {
  return z
    .object(
      {
        state: reader(readState, LEVEL_JSON),
        questions: ownRecord(questionSchema(maxOptions), 'an object of questions', checkNames, {
          minProperties: LIMITS.questions.min,
          maxProperties: LIMITS.questions.max,
        }),
        min_confidence: minConfidenceSchema,
        model: unicodeString('a string').optional(),
      },
      { error: expected('a JSON object') },
    )
    .transform(withoutAbsent) as unknown as z.ZodType<DecisionRequest, Input>
}

function checkNames(names: readonly string[]): void {
  const { min, max } = LIMITS.questions
  if (names.length < min || names.length > max) {
    throw new Fault([], `a request needs ${min} to ${max} questions, got ${names.length}`)
  }
  if (names.some(isLong))
    throw new Fault(
      [],
      `must not have a question with a name of more than ${grouped(LIMITS.nameCharacters)} characters`,
    )
  if (names.includes('')) throw new Fault([], 'must not have a question without a name')
}
