import { InvalidRequestError } from '../../errors/index.ts'
import { isWellFormed } from '../../schemas/characters.ts'
import { LONE_SURROGATE } from '../../schemas/copy-json.ts'
import { isPlainObject, kindOf } from '../../schemas/fault.ts'
import type { BodyLine } from '../body/parse-lines.ts'

const LONGEST_ID = 64

/** A line of a batch: a decision to make, or why it is none. */
export type BatchLine = {
  /** Its number in the body, from 1. */
  readonly at: number
  /** What its owner calls it; null where it has no usable name. */
  readonly customId: string | null
} & ({ readonly body: unknown } | { readonly fault: InvalidRequestError })

/** Finds the names of all lines. The first of a name has it. */
export function nameLines(lines: readonly BodyLine[]): BatchLine[] {
  const named = new Map<string, number>()
  return lines.map((line): BatchLine => {
    const { at } = line
    if ('refused' in line) {
      return { at, customId: null, fault: new InvalidRequestError('line', line.refused, { loc: [] }) }
    }
    if (!isPlainObject(line.value)) {
      const reason = `must be a JSON object, got ${kindOf(line.value)}`
      return { at, customId: null, fault: new InvalidRequestError('line', reason, { loc: [] }) }
    }
    const { custom_id: customId } = line.value
    if (typeof customId !== 'string' || customId === '' || customId.length > LONGEST_ID) {
      const came = typeof customId === 'string' ? `${customId.length} characters` : kindOf(customId)
      const reason = `must be a string of 1 to ${LONGEST_ID} characters, got ${came}`
      return { at, customId: null, fault: new InvalidRequestError('custom_id', reason) }
    }
    // It comes back in the line's result, which clients of most languages could not read with half a character in it.
    if (!isWellFormed(customId)) {
      return { at, customId: null, fault: new InvalidRequestError('custom_id', LONE_SURROGATE) }
    }
    const first = named.get(customId)
    if (first !== undefined) {
      return { at, customId, fault: new InvalidRequestError('custom_id', `is that of line ${first} already`) }
    }
    named.set(customId, at)
    return { at, customId, body: line.value }
  })
}
