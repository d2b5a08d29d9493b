import * as z from 'zod'
import { describeJson } from '../../schemas/json-schema.ts'
import { expected } from '../../schemas/zod-reader.ts'

interface Rules<Item> {
  /** What a value that is no array should have been. */
  readonly what: string
  readonly min: number
  readonly max?: number
  /** Message for too few or too many. */
  readonly count: string
  /** The first fault of the list as a whole, looked for when its elements have none. */
  readonly check?: (list: readonly Item[]) => Issue | undefined
}

type Issue = Pick<z.core.$ZodIssue, 'path' | 'message'>

/**
 * An array that is read up to its first faulty element, the only one that a client is told of. `z.array` reads on, and
 * keeps a fault for each of the millions that a body has room for.
 */
export function listOf<Item>(
  item: z.ZodType<Item>,
  { what, min, max = Number.POSITIVE_INFINITY, count, check }: Rules<Item>,
) {
  const schema = z.unknown().transform((value, context): Item[] => {
    if (!Array.isArray(value)) return report(context, [{ path: [], message: expected(what)({ input: value }) }])
    if (value.length < min || value.length > max) return report(context, [{ path: [], message: count }])
    const list: Item[] = []
    for (const [index, element] of value.entries()) {
      const result = item.safeParse(element)
      if (!result.success) return report(context, result.error.issues, index)
      list.push(result.data)
    }
    const fault = check?.(list)
    return fault === undefined ? list : report(context, [fault])
  })
  return describeJson(schema, (toJson) => ({
    minItems: min,
    ...(Number.isFinite(max) && { maxItems: max }),
    type: 'array',
    items: toJson(item),
  }))
}

/** Hands on the faults of a value, or of one inside it, and nothing of the value itself. */
export function report(context: z.core.$RefinementCtx, issues: readonly Issue[], ...inside: PropertyKey[]): never {
  for (const { path, message } of issues) {
    context.addIssue({ code: 'custom', message, path: [...inside, ...path], input: undefined })
  }
  return z.NEVER
}
