import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { serveArguments } from '../src/cli/serve/serve-arguments.ts'
import { defaultJournal } from '../src/http/serve/default-journal.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const page = read('docs/operations.md')

/** How each sentence, row and command of docs/operations.md begins, and the tests of what it says, as "file: part of the name". */
const proven = JSON.parse(read('test/operations-sentences.json')) as Readonly<Record<string, readonly string[]>>

/** Sentences of paragraphs, rows of tables and commands, in order. */
function statementsOf(text: string): string[] {
  const blocks = text.split(/^(```[^]*?^```)$/m)
  return blocks.flatMap((block) => {
    if (block.startsWith('```')) return block.split('\n').filter((line) => line.startsWith('npx '))
    const parts = block.replace(/^#.*$/gm, '').split(/\n\n+/)
    return parts.flatMap((part) => (part.trim().startsWith('|') ? rowsOf(part) : sentencesOf(part)))
  })
}

/** Without the head of the table and the line below it. */
const rowsOf = (table: string) => table.trim().split('\n').slice(2)

function sentencesOf(paragraph: string): string[] {
  const text = paragraph.trim().replace(/\n/g, ' ')
  return text === '' ? [] : text.split(/(?<=[.!?])\s+(?=[A-Z`*[])/)
}

it('every sentence of docs/operations.md has tests, and every entry of their list a sentence', () => {
  const statements = statementsOf(page)
  expect(statements.length).toBeGreaterThan(100)
  const entriesOf = (statement: string) => Object.keys(proven).filter((beginning) => statement.startsWith(beginning))
  // What a sentence says now must have a test, which is named in test/operations-sentences.json.
  expect(statements.filter((statement) => entriesOf(statement).length !== 1)).toEqual([])
  const used = new Set(statements.flatMap(entriesOf))
  expect(Object.keys(proven).filter((beginning) => !used.has(beginning))).toEqual([])
})

it('every test that the list names is there', () => {
  const missing = Object.values(proven)
    .flat()
    .filter((entry) => {
      const [, file, name] = /^(\S+): (.+)$/.exec(entry)!
      return !read(file!).includes(name!)
    })
  expect(missing).toEqual([])
  expect(Object.entries(proven).filter(([, tests]) => tests.length === 0)).toEqual([])
})

it('the defaults that the page gives are those of tessera serve', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `--') && !line.includes('--store'))
  const given = rows.flatMap((row) => {
    const [, flags, presets] = row.split('|')
    const values = [...presets!.matchAll(/`([^`]+)`/g)].map(([, value]) => value!)
    return [...flags!.matchAll(/`--([a-z-]+)`/g)].map(([, flag], index) => [flag!, values[index]] as const)
  })
  const durations = given.filter(([, value]) => value !== undefined)
  expect(durations.map(([flag]) => flag)).toEqual([
    'drain',
    'grace',
    'keep-alive',
    'headers-timeout',
    'request-timeout',
  ])
  for (const [flag, value] of durations) {
    expect([flag, serveArguments[flag as keyof typeof serveArguments]]).toEqual([
      flag,
      expect.objectContaining({ default: value }),
    ])
  }
  expect(serveArguments.preload.default).toBe(false)
  const journal = defaultJournal({ HOME: '/home/me' }, 'usage.db').replaceAll('\\', '/')
  expect(journal).toMatch(/^\/home\/me\/\.local\/state\/tessera\/journal\/[0-9a-f]{16}$/)
})
