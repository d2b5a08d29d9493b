import { describe, expect, it } from 'vitest'
import { axisTicks, lastDays, totalOf, valueOf } from './usage-days.ts'

const row = { endpoint: 'decisions', requests: 2, input_tokens: 30, images: 0, cost: '0.00000117' } as const

describe('the days of the chart', () => {
  const rows = ['2026-02-28', '2025-02-28'].map((day) => ({ day, ...row }))
  const days = lastDays({ today: '2026-03-01', days: rows }, 3)

  it('end today and leave none out', () => {
    expect(days.map(({ day }) => day)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01'])
  })

  it('have what was used on them', () => {
    expect(days.map((day) => totalOf(day, 'input_tokens'))).toEqual([0, 30, 0])
    expect(valueOf(days[1]!, 'decisions', 'cost')).toBe(0.00000117)
    expect(valueOf(days[1]!, 'edits', 'requests')).toBe(0)
  })
})

describe('the axis', () => {
  it.each([
    [0, 1, [0, 1]],
    [1, 1, [0, 1]],
    [3, 1, [0, 1, 2, 3]],
    [7, 1, [0, 2, 4, 6, 8]],
    [100, 1, [0, 50, 100]],
    [1234, 1, [0, 500, 1000, 1500]],
  ])('up to %s in steps of %s or more has %j', (most, least, ticks) => {
    expect(axisTicks(most, least)).toEqual(ticks)
  })

  it('reaches the highest value, whatever it is, in few steps', () => {
    for (let most = 1e-6; most < 1e15; most *= 1.7) {
      const ticks = axisTicks(most, 1e-7)
      expect(ticks.at(-1)! >= most * 0.999999, `${most}: ${ticks}`).toBe(true)
      expect(ticks.length).toBeLessThanOrEqual(5)
    }
  })
})
