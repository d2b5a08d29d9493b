import * as z from 'zod'

/** One wording for all that is refused: what was expected, and what came. */
export function mustBe(expected: string) {
  return { error: ({ input }: { readonly input?: unknown }) => `must be ${expected}, got ${describeValue(input)}` }
}

/** What a timer can wait, 24.8 days in milliseconds: longer times are over at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

const SHOWN_CHARACTERS = 60

/** Short, and never what is inside an object. */
function describeValue(value: unknown): string {
  if (typeof value === 'string')
    return `'${value.length > SHOWN_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS)}…` : value}'`
  if (Array.isArray(value)) return 'an array'
  if (value instanceof Promise) return 'a promise: await it first'
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'function' || typeof value === 'symbol' ? `a ${typeof value}` : String(value)
}

/** Leaves out the values that are `undefined`, which count as not given. */
export function withoutGaps<Given extends object>(given: Given) {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Name in keyof Given]: Exclude<Given[Name], undefined> }
}

/** `true` or `false`. */
export const flag = z.boolean(mustBe('true or false'))

/** A whole number. */
export function count(least: number, most = Number.MAX_SAFE_INTEGER) {
  const expected = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`
  return z
    .custom<number>(
      (value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most,
      mustBe(`a whole number ${expected}`),
    )
    .meta({ type: 'integer', ...range(least, most) })
}

/** A number, which may be `Infinity` where there is no upper end. */
export function amount(least: number, most = Number.POSITIVE_INFINITY) {
  const expected = most === Number.POSITIVE_INFINITY ? `from ${least}` : `from ${least} to ${most}`
  return z
    .custom<number>(
      (value) => typeof value === 'number' && value >= least && value <= most,
      mustBe(`a number ${expected}`),
    )
    .meta({ type: 'number', ...range(least, most) })
}

/** What JSON schemas made of a number say of it. */
function range(minimum: number, most: number) {
  return most < Number.MAX_SAFE_INTEGER ? { minimum, maximum: most } : { minimum }
}

/** A text that is not empty. @param expected what it stands for, such as `a folder` */
export function text(expected: string) {
  return z.string(mustBe(expected)).min(1, mustBe(expected))
}

export function oneOf<const Name extends string>(names: readonly Name[]) {
  return z.enum(names, mustBe(`one of ${names.join(', ')}`))
}

/** Names to values of one kind; `undefined` is as good as left out. */
export function mapOf<Value extends z.ZodType>(expected: string, kind: Value) {
  return z.record(z.string(), kind.optional(), mustBe(expected)).transform(withoutGaps)
}

/** A function, or an object that is passed on as it is, with the methods it needs. */
export function withMethods<Value>(expected: string, ...methods: readonly string[]) {
  const has = (value: unknown) =>
    methods.every((name) => typeof (value as Record<string, unknown>)[name] === 'function')
  return z.custom<Value>((value) => typeof value === 'object' && value !== null && has(value), mustBe(expected))
}

export function callback<Value>() {
  return z.custom<Value>((value) => typeof value === 'function', mustBe('a function'))
}
