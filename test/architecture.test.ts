import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { expect, it } from 'vitest'

/** Folders of `src`, lowest first. A folder imports from rows above its own only: those of one row do not know each other. */
const ROWS = [
  ['errors'],
  ['options'],
  ['jobs', 'onnx', 'redis', 'schemas'],
  ['backends', 'models'],
  ['graph'],
  ['decide', 'images'],
  ['engine'],
  ['ai-sdk', 'evaluate', 'http', 'web'],
  ['queue'],
  ['cli', 'console'],
]
const src = join(import.meta.dirname.replaceAll('\\', '/'), '../src')
const roomOf = (path: string) => path.split('/')[0]!
const rowOf = (path: string) => ROWS.findIndex((row) => row.includes(roomOf(path)))

it('imports between the folders of src point one way', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\/.*\.ts$/.test(path) && !/\.test(-d)?\.ts$|\/test-support\//.test(path))
  const arrows = files.flatMap((file) =>
    Array.from(readFileSync(join(src, file), 'utf8').matchAll(/'(\.\.?\/[^']+\.ts)'/g), ([, to]) => {
      return { file, to: join(dirname(file), to!) }
    }),
  )
  const between = arrows.filter(({ file, to }) => roomOf(file) !== roomOf(to))
  expect(between.filter(({ file, to }) => rowOf(to) >= rowOf(file))).toEqual([])
  expect([...new Set(files.map(roomOf))].toSorted()).toEqual(ROWS.flat().toSorted())
})
