import { stripVTControlCharacters } from 'node:util'
import { afterEach, expect, it, vi } from 'vitest'
import { WorkerCrashedError } from '../../errors/index.ts'
import { tellFailed, toFailedLines } from './tell-failed.ts'

let written = ''
afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = 0
  written = ''
})

const error = new WorkerCrashedError('it was killed')
const failuresOf = (count: number) => Array.from({ length: count }, (_, row) => ({ row, error }))
const LINES = Array.from({ length: 20 }, (_, row) => 2 * row + 1)

function tell(count: number): void {
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += stripVTControlCharacters(String(text))
    return true
  })
  tellFailed(failuresOf(count), LINES, 'decide-mini')
}

it('says by its line what could not be answered, and ends with a status that says so', () => {
  tell(2)
  expect(written).toMatch(/^warning --data, line 3 could not be answered by decide-mini and is left out: .*killed/m)
  expect(process.exitCode).toBe(1)
  expect(toFailedLines(failuresOf(2), LINES)[1]).toEqual({
    line: 3,
    error: { code: 'worker_crashed', message: error.message },
  })
})

it('does not list all of many', () => {
  tell(20)
  expect(written.trim().split('\n')).toHaveLength(6)
  expect(written).toMatch(/^warning so are 15 other lines$/m)
})

it('says nothing where all were answered', () => {
  tell(0)
  expect(written).toBe('')
  expect(process.exitCode ?? 0).toBe(0)
})
