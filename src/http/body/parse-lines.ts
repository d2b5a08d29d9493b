import { measureShape, parseJson, Refused, refuse, tooMany } from './parse-json.ts'

/** A line of a body of JSON Lines: its value, or why it has none. */
export type BodyLine =
  | {
      /** Its number in the body, from 1. */
      readonly at: number
      readonly value: unknown
    }
  | { readonly at: number; readonly refused: string }

/** More than that is better sent as two batches. */
const MAX_LINES = 10_000

/** Of all lines: what is small as text can be large as a value. */
const MAX_VALUES = 2_000_000
const MAX_MEMBERS = 300_000

const LINE_BREAK = 0x0a

/** Reads JSON Lines; empty lines count, and are left out. What is wrong with a line is said in its place. */
export function parseLines(bytes: Uint8Array<ArrayBuffer>): BodyLine[] {
  const lines: BodyLine[] = []
  let values = 0
  let members = 0
  let at = 0
  for (let start = 0; start < bytes.length;) {
    at++
    const found = bytes.indexOf(LINE_BREAK, start)
    const end = found < 0 ? bytes.length : found
    const line = bytes.subarray(start, end)
    start = end + 1
    if (isBlank(line)) continue
    if (lines.length === MAX_LINES) refuse(tooMany(MAX_LINES, 'lines'))
    const shape = measureShape(line)
    values += shape.values
    if (values > MAX_VALUES) refuse(tooMany(MAX_VALUES, 'values'))
    members += shape.members
    if (members > MAX_MEMBERS) refuse(tooMany(MAX_MEMBERS, 'members of objects'))
    lines.push(shape.refused === undefined ? readLine(at, line) : { at, refused: shape.refused })
  }
  if (lines.length === 0) refuse('must have at least one line')
  return lines
}

function readLine(at: number, line: Uint8Array): BodyLine {
  try {
    return { at, value: parseJson(line) }
  } catch (error) {
    if (error instanceof Refused) return { at, refused: error.message }
    throw error
  }
}

/** Spaces, tabs and carriage returns. */
function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
}
