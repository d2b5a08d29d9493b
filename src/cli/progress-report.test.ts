import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import type { Progress } from '../engine/index.ts'
import { ProgressReport } from './progress-report.ts'

function record(isTTY: boolean, columns?: number) {
  const clock = { ms: 0 }
  const lines: string[] = []
  const report = new ProgressReport(
    { isTTY, ...(columns !== undefined && { columns }), write: (text: string) => lines.push(text) > 0 },
    () => clock.ms,
  )
  const at = (ms: number, progress: Progress) => {
    clock.ms = ms
    report.show(progress)
  }
  return { at, lines }
}

it('writes a line every few seconds into a log, with what is left of the stage, and none for short work', () => {
  const { at, lines } = record(false)
  at(0, { stage: 'loading', done: 0, total: 4e9 })
  at(4000, { stage: 'loading', done: 1e9, total: 4e9 })
  expect(lines).toEqual([])
  at(6000, { stage: 'loading', done: 2e9, total: 4e9 })
  at(9000, { stage: 'encoding', done: 0, total: 1 })
  at(12_000, { stage: 'denoising', done: 0, total: 10 })
  at(16_000, { stage: 'denoising', done: 1, total: 10 })
  at(20_000, { stage: 'denoising', done: 2, total: 10 })
  expect(lines).toEqual([
    'loading 2.00 GB of 4.00 GB, 6 s left\n',
    'denoising 0 of 10\n',
    'denoising 2 of 10, 32 s left\n',
  ])
})

it('overwrites one line where somebody watches, after a moment, and wipes it at the end', () => {
  const { at, lines } = record(true)
  at(100, { stage: 'reading', done: 0, total: 2 })
  at(1000, { stage: 'reading', done: 1, total: 2 })
  at(2000, { stage: 'reading', done: 2, total: 2 })
  expect(lines.map(stripVTControlCharacters)).toEqual([
    `\r${'█'.repeat(12)}${'░'.repeat(12)} reading 1 of 2, 1 s left`,
    '\r',
  ])
})

it.each([
  [30, `\r…${'░'.repeat(3)} reading 1 of 2, 1 s left`],
  [0, `\r${'█'.repeat(12)}${'░'.repeat(12)} reading 1 of 2, 1 s left`],
])('never wraps in %i columns, where it could not be overwritten', (columns, line) => {
  const { at, lines } = record(true, columns)
  at(0, { stage: 'reading', done: 0, total: 2 })
  at(1000, { stage: 'reading', done: 1, total: 2 })
  expect(lines.map(stripVTControlCharacters)).toEqual([line])
})
