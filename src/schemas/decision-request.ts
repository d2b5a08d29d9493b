import { z } from 'zod'
import { Fault, grouped } from './fault.ts'
import { LIMITS, type ParseSettings, type OptionLimits } from './limits.ts'
import { parseRequest } from './parse-request.ts'
import { isLong, minConfidenceSchema, questionSchema, withoutAbsent } from './question-schemas.ts'
import type { DecisionRequest, DecisionRequestInput as Input } from './question-types.ts'
import { readState } from './read-text.ts'
import { expected, ownRecord, reader, unicodeString } from './zod-reader.ts'

/** Body of a decision request. Fields it does not know are left out of the result. */
export const decisionRequestSchema = createDecisionRequestSchema(LIMITS.options.max)

/** Making one takes longer than a check with it, and engines and routes check with the same limits again and again. */
const schemas = new WeakMap<OptionLimits, z.ZodType<DecisionRequest, Input>>()

/**
 * Checks a decision request and returns a copy that shares nothing with it. The copy keeps the order of the names, and
 * its maps have no prototype, so that `__proto__` and `constructor` are names like any other.
 *
 * @throws InvalidRequestError for the first fault in document order, with the path of the field.
 */
export function parseDecisionRequest(body: unknown, settings: ParseSettings = {}): DecisionRequest {
  return parseRequest(schemaFor(settings), body, !settings.hidesMembers)
}

function schemaFor(limits: OptionLimits): z.ZodType<DecisionRequest, Input> {
  const { maxOptions = LIMITS.options.max } = limits
  if (maxOptions === LIMITS.options.max) return decisionRequestSchema
  const schema = schemas.get(limits) ?? createDecisionRequestSchema(maxOptions)
  schemas.set(limits, schema)
  return schema
}

/** The same with another limit of options. */
export function createDecisionRequestSchema(maxOptions: number): z.ZodType<DecisionRequest, Input> {
  return z
    .object(
      {
        state: reader(readState, { type: ['string', 'object', 'array'] }),
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
