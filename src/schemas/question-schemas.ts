import * as z from 'zod'
import { isWellFormed } from './characters.ts'
import type { Question } from './checked-request.ts'
import { LONE_SURROGATE } from './copy-json.ts'
import { Fault, grouped, isPlainObject, kindOf, shown, under } from './fault.ts'
import { LIMITS } from './limits.ts'
import type { QuestionInput } from './question-types.ts'
import { LEVEL_JSON, readLevel, readText, saysSomething, type Text, TEXT_JSON } from './read-text.ts'
import { expected, reader } from './zod-reader.ts'

const confidenceError = { error: expected('a number from 0 to 1', shown) }

/** A number from 0 to 1; null is the same as absent. */
export const minConfidenceSchema = z
  .number(confidenceError)
  .gte(LIMITS.minConfidence.min, confidenceError)
  .lte(LIMITS.minConfidence.max, confidenceError)
  .nullish()

const textSchema = reader(readText, TEXT_JSON)

/** The other wire has neither this type nor criteria, and words of its own. */
export const NOTHING_ASKED = 'a noul needs instructions, or criteria that say what true or false means'

const noulSchema = z
  .object({
    type: z.literal('noul'),
    instructions: textSchema.optional(),
    criteria: reader(readNoulCriteria, {
      type: ['object', 'null'],
      properties: { true: TEXT_JSON, false: TEXT_JSON },
      additionalProperties: false,
    }).optional(),
    min_confidence: minConfidenceSchema,
  })
  .check(({ value, issues }) => {
    const { instructions, criteria } = value
    if (saysSomething(instructions) || saysSomething(criteria?.true) || saysSomething(criteria?.false)) return
    issues.push({
      code: 'custom',
      path: ['instructions'],
      input: undefined,
      message: NOTHING_ASKED,
    })
  })

const scoreSchema = z.object({
  type: z.literal('score'),
  instructions: textSchema.optional(),
  criteria: reader(readScoreCriteria, {
    type: 'array',
    items: LEVEL_JSON,
    minItems: LIMITS.levels.min,
    maxItems: LIMITS.levels.max,
  }),
  min_confidence: minConfidenceSchema,
})

/** A question of any type. Fields it does not know are left out of the result. */
export function questionSchema(maxOptions: number): z.ZodType<Question, QuestionInput> {
  const choiceSchema = z.object({
    type: z.literal('choice'),
    instructions: textSchema.optional(),
    criteria: reader((value) => readChoiceCriteria(value, maxOptions), {
      type: 'object',
      additionalProperties: TEXT_JSON,
      minProperties: LIMITS.options.min,
      maxProperties: maxOptions,
    }),
    min_confidence: minConfidenceSchema,
  })
  return z
    .discriminatedUnion('type', [noulSchema, choiceSchema, scoreSchema], {
      error: ({ code, input }) => (code === 'invalid_union' ? typeError(input) : expected('an object')({ input })),
    })
    .transform(withoutAbsent) as unknown as z.ZodType<Question, QuestionInput>
}

function typeError(question: unknown): string {
  const { type } = question as { readonly type?: unknown }
  const show = (value: unknown) => (typeof value === 'string' ? 'another string' : shown(value))
  return expected('"noul", "choice" or "score"', show)({ input: type })
}

function readNoulCriteria(value: unknown): { readonly true?: Text; readonly false?: Text } | null {
  if (value === null) return null
  if (!isPlainObject(value)) throw new Fault([], `must be an object with "true" and "false", got ${kindOf(value)}`)
  const names = Object.keys(value)
  const others = names.filter((name) => name !== 'true' && name !== 'false').length
  if (others > 0) throw new Fault([], `must have no members but "true" and "false", got ${others} of other names`)
  return copyMembers(
    value,
    names.filter((name) => value[name] !== undefined),
    readText,
  )
}

function readChoiceCriteria(value: unknown, maxOptions: number): Readonly<Record<string, Text>> {
  const range = `${LIMITS.options.min} to ${maxOptions} options`
  if (!isPlainObject(value)) throw new Fault([], `a choice needs an object of ${range}, got ${kindOf(value)}`)
  const names = Object.keys(value)
  if (names.length < LIMITS.options.min) throw new Fault([], `a choice needs ${range}, got ${names.length}`)
  if (names.length > maxOptions) {
    throw new Fault([], `a choice needs ${range}, got ${names.length}; maxOptions (--max-options) allows more`)
  }
  if (names.some(isLong))
    throw new Fault([], `must not have an option name of more than ${grouped(LIMITS.nameCharacters)} characters`)
  if (!names.every(isWellFormed)) throw new Fault([], `has an option name that ${LONE_SURROGATE}`)
  return copyMembers(value, names, readText)
}

/** Whether a name is over its limit. */
export function isLong(name: string): boolean {
  return name.length > LIMITS.nameCharacters
}

function readScoreCriteria(value: unknown): readonly Exclude<Text, null>[] {
  const { min, max } = LIMITS.levels
  const range = `${min} to ${max} levels`
  if (!Array.isArray(value)) throw new Fault([], `a score needs an array of ${range}, got ${kindOf(value)}`)
  if (value.length < min || value.length > max) throw new Fault([], `a score needs ${range}, got ${value.length}`)
  return Array.from(value, (level: unknown, index) => under(String(index), () => readLevel(level)))
}

type Read<T> = (value: unknown) => T

function copyMembers<T>(from: Readonly<Record<string, unknown>>, names: readonly string[], read: Read<T>) {
  const copy = Object.create(null) as Record<string, T>
  for (const name of names) copy[name] = under(name, () => read(from[name]))
  return copy
}

/** Leaves out what is not there, and a threshold of null, which means the same. */
export function withoutAbsent({ min_confidence, ...fields }: object & { min_confidence?: number | null | undefined }) {
  const present = Object.entries({ ...fields, min_confidence: min_confidence ?? undefined })
  return Object.fromEntries(present.filter(([, value]) => value !== undefined))
}
