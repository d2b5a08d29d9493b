import { expect, it } from 'vitest'
import * as z from 'zod'
import { describeIssue } from './describe-issue.ts'

const schema = z.looseObject({
  act: z.literal('silu').optional(),
  kind: z.enum(['one', 'two']).optional(),
  off: z.literal(false).optional(),
  cap: z.null().optional(),
  eps: z.number().positive().optional(),
  layers: z.int().min(1).max(100).optional(),
  head: z.number().multipleOf(8).optional(),
  names: z.array(z.string()).optional(),
  none: z.union([z.null(), z.array(z.unknown()).length(0)]).optional(),
  own: z.number({ error: 'takes a number of its own' }).optional(),
})

it.each<[unknown, string]>([
  [{ act: 'gelu' }, 'act: "gelu", not "silu"'],
  [{ kind: 'three' }, 'kind: "three", not "one" or "two"'],
  [{ off: true }, 'off: true, not false'],
  [{ cap: 30 }, 'cap: 30, not null'],
  [{ eps: 'small' }, 'eps: "small", not a number'],
  [{ eps: 0 }, 'eps: 0, which is too small: at least 0, and not that'],
  [{ layers: 1.5 }, 'layers: 1.5, not a whole number'],
  [{ layers: 101 }, 'layers: 101, which is too large: at most 100'],
  [{ head: 12 }, 'head: 12, not a multiple of 8'],
  [{ names: { a: 1 } }, 'names: an object, not an array'],
  [{ names: ['a', null] }, 'names.1: null, not a string'],
  [{ none: ['lm_head'] }, 'none: an array, which is not read'],
  [{ own: 'x' }, 'own: takes a number of its own'],
  [{ act: 'x'.repeat(200) }, `act: "${'x'.repeat(99)}…, not "silu"`],
  [[], 'all of it: an array, not an object'],
  [null, 'all of it: null, not an object'],
])('%j is said with what it has and what it may have', (json, said) => {
  expect(describeIssue(schema.safeParse(json).error!.issues[0]!, json)).toBe(said)
})
