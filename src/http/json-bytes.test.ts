import { expect, it } from 'vitest'
import { JsonBytes, JsonList } from './json-bytes.ts'

it.each([
  ['nothing', []],
  ['one value', [{ a: 1 }]],
  ['values with commas, brackets and line feeds', [{ a: ['], [', 'ä\n'] }, [], 'ü,']],
  ['values over several pieces', Array.from({ length: 300 }, (_, index) => ({ index, text: 'ß'.repeat(index * 7) }))],
  ['lines that end with a piece', ['x'.repeat(2 ** 16 - 3), 'y'.repeat(2 ** 17 - 3), 'z']],
])('a list of %s is JSON, and JSON Lines', (_, values: readonly unknown[]) => {
  const list = JsonList.ofList(values)
  expect([Buffer.from(list.bytes).toString(), list.toJSON()]).toEqual([JSON.stringify(values), values])
  const lines = Buffer.concat([...list.lines()])
  expect(lines.toString()).toBe(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
  expect([list.linesLength, Math.max(0, ...[...list.lines()].map(({ length }) => length))]).toEqual([
    lines.length,
    Math.min(lines.length, 2 ** 16),
  ])
  expect(JsonBytes.of(list)).toBe(list)
})
