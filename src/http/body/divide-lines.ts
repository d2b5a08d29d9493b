import type { BodyLine } from './parse-lines.ts'

/** Characters of JSON that another thread reads from a message within a few milliseconds. */
const MOST_CHARACTERS = 2 ** 17

/** Lines in parts that are not too long to be sent at once, or are one line. */
export function divideLines(lines: readonly BodyLine[]): BodyLine[][] {
  const parts: BodyLine[][] = []
  let characters = Number.POSITIVE_INFINITY
  for (const line of lines) {
    const { length } = JSON.stringify(line)
    characters += length
    if (characters <= MOST_CHARACTERS) {
      parts.at(-1)!.push(line)
    } else {
      parts.push([line])
      characters = length
    }
  }
  return parts
}
