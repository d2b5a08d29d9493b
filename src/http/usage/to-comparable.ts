import { digest } from '../digest.ts'

/** How far down pictures lie: `control.image` of the JSON of a body. */
const DEEPEST = 3

/** A request as text, to know it again by. Its pictures are there as digests: as text, bytes would be a table of numbers. */
export function toComparable(request: unknown): string {
  // A function that JSON.stringify calls for every value takes ten times as long, for which all others wait.
  return JSON.stringify(withDigests(request, DEEPEST))
}

function withDigests(value: unknown, levels: number): unknown {
  if (value instanceof Uint8Array) return digest(value)
  if (levels === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => withDigests(item, levels - 1))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withDigests(item, levels - 1)]))
}
