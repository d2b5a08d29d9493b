import * as z from 'zod'
import { isWellFormed } from './characters.ts'
import { LONE_SURROGATE } from './copy-json.ts'
import { Fault, isPlainObject, kindOf } from './fault.ts'
import { describeJson, type JsonSchema } from './json-schema.ts'

/** A zod schema around a function that returns the checked value or throws a `Fault`; `takes` says what it reads. */
export function reader<Output, Input = Output>(read: (value: unknown) => Output, takes: JsonSchema) {
  const schema = z.custom<Input>().transform((value, context): Output => {
    try {
      return read(value)
    } catch (error) {
      return report(error, context)
    }
  })
  return describeJson(schema, () => takes)
}

/** Throws a `Fault` when the names as a whole are not right. */
type CheckNames = (names: readonly string[]) => void

/**
 * A map from names to values. `z.record` drops a member called `__proto__`; here it is a name like any other. The
 * result has no prototype and keeps the order of the input.
 */
export function ownRecord<Output, Input>(
  value: z.ZodType<Output, Input>,
  what: string,
  check: CheckNames = () => undefined,
  takes: JsonSchema = {},
) {
  const schema = z
    .custom<Readonly<Record<string, Input>>>()
    .transform((input: unknown, context): Record<string, Output> => {
      const result = Object.create(null) as Record<string, Output>
      try {
        if (!isPlainObject(input)) throw new Fault([], expected(what)({ input }))
        const names = Object.keys(input)
        check(names)
        if (!names.every(isWellFormed)) throw new Fault([], `has a name that ${LONE_SURROGATE}`)
        for (const name of names) {
          const member = value.safeParse(input[name])
          if (member.success) result[name] = member.data
          else
            for (const issue of member.error.issues)
              addIssue(context, [name, ...issue.path], issue.message, insideOf(issue))
        }
      } catch (error) {
        return report(error, context)
      }
      return result
    })
  return describeJson(schema, (toJson) => ({ type: 'object', additionalProperties: toJson(value), ...takes }))
}

/** A string of Unicode text. */
export function unicodeString(what: string) {
  return z.string({ error: expected(what) }).refine(isWellFormed, { error: LONE_SURROGATE })
}

/** Message of a zod check: what was expected and the kind of what came. */
export function expected(what: string, show: (value: unknown) => string = kindOf) {
  return ({ input }: { readonly input?: unknown }) =>
    input === undefined ? `is required: ${what}` : `must be ${what}, got ${show(input)}`
}

function report(error: unknown, context: z.core.$RefinementCtx): never {
  if (!(error instanceof Fault)) throw error
  addIssue(context, error.path, error.message, error.inside)
  return z.NEVER
}

/** What lies below the path of an issue inside a state or a text; see `Fault`. */
export function insideOf(issue: z.core.$ZodIssue): readonly string[] {
  return issue.code === 'custom' ? ((issue.params?.inside ?? []) as readonly string[]) : []
}

// Issues carry no input: they end up in messages and logs, and the input is content.
function addIssue(
  context: z.core.$RefinementCtx,
  path: readonly PropertyKey[],
  message: string,
  inside: readonly string[],
): void {
  const params = inside.length > 0 ? { params: { inside } } : {}
  context.addIssue({ code: 'custom', message, path: [...path], input: undefined, ...params })
}
