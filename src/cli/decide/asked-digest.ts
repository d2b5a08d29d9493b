import { createHash } from 'node:crypto'

/** Hexadecimal digits of each half: enough to notice a change, and short in a line that people read. */
const DIGITS = 8

/**
 * What a row was asked, in few letters, so that a later run can tell whether it would ask the same: what all rows have in
 * common, a hyphen, and the row.
 */
export function askedDigest(common: unknown): (row: unknown) => string {
  const first = digest(common)
  return (row) => `${first}-${digest(row)}`
}

/** Whether both say the same of what all rows have in common. */
export function isSameAsked(one: string, another: string): boolean {
  return one.split('-')[0] === another.split('-')[0]
}

function digest(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('hex')
    .slice(0, DIGITS)
}
