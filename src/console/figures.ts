import type { UsageReport } from '../http/routes/usage-route.ts'
import { make } from './dom.ts'
import { addEuros, formatCount, formatEuros, formatUnits } from './format.ts'

/** Characters that fit in the large type. */
const LONG = 13

/** Whether requests of the key cost it anything: what has no allowance and no balance is billed by nobody. */
export function isBilled({ free_tokens: free, prepaid }: UsageReport): boolean {
  return free !== null || prepaid !== null
}

/** The figures above the chart: requests of this month and, of a key that is billed, its cost and what is left. */
export function makeFigures(report: UsageReport): HTMLElement[] {
  const { today, months, free_tokens: free, prepaid } = report
  const isPaid = isBilled(report)
  const rows = months.filter(({ month }) => today.startsWith(month))
  const sum = (measure: 'requests' | 'input_tokens' | 'images') => rows.reduce((total, row) => total + row[measure], 0)
  return [
    ...(isPaid ? [makeFigure('Cost this month', formatEuros(addEuros(rows.map(({ cost }) => cost))))] : []),
    makeFigure(
      'Requests this month',
      formatCount(sum('requests')),
      `${formatUnits(sum('input_tokens'), 'token')}, ${formatUnits(sum('images'), 'image')}`,
    ),
    ...(isPaid
      ? [makeFree(free), makePrepaid(prepaid)]
      : [makeFigure('Limit', 'None', 'This key cannot run out, and nothing is billed.')]),
  ]
}

function makeFree(free: UsageReport['free_tokens']): HTMLElement {
  if (free === null) return makeFigure('Free tokens', 'None', 'This key has no allowance.')
  return makeFigure('Free tokens left', formatCount(free.left), `of ${formatCount(free.given)} this month`, free)
}

function makePrepaid(prepaid: UsageReport['prepaid']): HTMLElement {
  if (prepaid === null) return makeFigure('Prepaid balance', 'None', 'Nothing was paid in.')
  const { left, given } = prepaid
  const level = { left: Number(left), given: Number(given) }
  return makeFigure('Prepaid balance left', formatEuros(left), `of ${formatEuros(given)}`, level)
}

function makeFigure(
  name: string,
  value: string,
  note?: string,
  level?: { readonly left: number; readonly given: number },
): HTMLElement {
  const { left = 0, given = 1 } = level ?? {}
  const share = given > 0 ? Math.min(1, Math.max(0, left / given)) : 0
  const meter = make('div', { class: 'level', 'aria-hidden': 'true' }, make('div'))
  meter.style.setProperty('--share', String(share))
  meter.classList.toggle('low', share < 0.1)
  return make(
    'div',
    { class: 'figure' },
    make('dt', {}, name),
    make('dd', { class: value.length > LONG ? 'value long' : 'value' }, value),
    ...(level ? [make('dd', {}, meter)] : []),
    ...(note === undefined ? [] : [make('dd', { class: 'hint' }, note)]),
  )
}
