import type * as z from 'zod'

const LONGEST = 100

/**
 * What is wrong with a field of a JSON file: its path, what it has, and what it may have.
 *
 * @param json that was checked
 * @example describeIssue(issue, { hidden_act: 'gelu' }) // 'hidden_act: "gelu", not "silu"'
 */
export function describeIssue(issue: z.core.$ZodIssue, json: unknown): string {
  const path = issue.path.join('.') || 'all of it'
  // What a schema says in its own words is whole.
  if (!/^(?:Invalid|Too) /.test(issue.message)) return `${path}: ${issue.message}`
  const value = issue.path.reduce<unknown>((owner, key) => (Object(owner) as Record<PropertyKey, unknown>)[key], json)
  return `${path}: ${show(value)}, ${nameWanted(issue)}`
}

/** What a field may have. */
function nameWanted(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_value':
      return `not ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
    case 'invalid_type':
      return `not ${nameKind(issue.expected)}`
    case 'not_multiple_of':
      return `not a multiple of ${issue.divisor}`
    case 'too_small':
      return `which is too small: at least ${issue.minimum}${issue.inclusive === false ? ', and not that' : ''}`
    case 'too_big':
      return `which is too large: at most ${issue.maximum}${issue.inclusive === false ? ', and not that' : ''}`
    default:
      return 'which is not read'
  }
}

function nameKind(kind: string): string {
  if (kind === 'null') return 'null'
  if (kind === 'int') return 'a whole number'
  return kind === 'array' || kind === 'object' ? `an ${kind}` : `a ${kind}`
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object'
  const text = JSON.stringify(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
