import { expect, it } from 'vitest'
import { ModelTotals } from './model-totals.ts'

const report = (id: string, open: number, opened: number) => ({
  id,
  activity: {
    waiting: 0,
    running: 0,
    missing: [],
    models: [{ id: 'm', open, opened, openedMs: 10 * opened, failed: 1 }],
  },
})

it('keeps what workers counted that are gone, and counts one once that comes back', () => {
  const totals = new ModelTotals()
  totals.note([report('a', 1, 2), report('b', 1, 3)])
  expect(totals.list()).toEqual([{ id: 'm', open: 2, opened: 5, openedMs: 50, failed: 2 }])
  totals.note([report('b', 1, 3)])
  expect(totals.list()).toEqual([{ id: 'm', open: 1, opened: 5, openedMs: 50, failed: 2 }])
  totals.note([])
  expect(totals.list()).toEqual([{ id: 'm', open: 0, opened: 5, openedMs: 50, failed: 2 }])
  totals.note([report('a', 2, 4), report('b', 1, 3)])
  expect(totals.list()).toEqual([{ id: 'm', open: 3, opened: 7, openedMs: 70, failed: 2 }])
})

it('adds up those of the oldest, so that thousands that come and go take no more room', () => {
  const totals = new ModelTotals()
  for (let index = 0; index < 2500; index++) totals.note([report(`w${index}`, 1, 1)])
  expect(totals.list()).toEqual([{ id: 'm', open: 1, opened: 2500, openedMs: 25_000, failed: 2500 }])
})
