import type { UsageReport } from '../http/routes/usage-route.ts'
import { byId, chosen, find, make } from './dom.ts'
import { isBilled, makeFigures } from './figures.ts'
import { formatCount, formatDay, formatEuros, formatMonth, formatUnits } from './format.ts'
import { setUpRecent, showRecent } from './recent-view.ts'
import { dayAt, drawChart, makeDaysTable } from './usage-chart.ts'
import { type Day, ENDPOINTS, lastDays, type Measure, totalOf, valueOf } from './usage-days.ts'

const DAYS = 30

const NAMES: Readonly<Record<Measure, (value: number) => string>> = {
  requests: (value) => formatUnits(value, 'request'),
  input_tokens: (value) => formatUnits(value, 'token'),
  images: (value) => formatUnits(value, 'image'),
  cost: (value) => formatEuros(value.toFixed(12)),
}

let days: Day[] = []
let selected = DAYS - 1

/** Draws what `GET /v1/usage` said. */
export function showUsage(report: UsageReport): void {
  const { account, today } = report
  byId('usage-note').textContent = `Account ${account}, ${formatMonth(today)}. Days and months are in UTC.`
  byId('figures').replaceChildren(...makeFigures(report))
  showCost(isBilled(report))
  days = lastDays(report, DAYS)
  drawDays()
  showRecent(report.recent)
}

/** Money is a measure only of a key that is billed. */
function showCost(shown: boolean): void {
  byId('cost-choice').hidden = !shown
  if (shown || chosen(byId('measures'), 'measure') !== 'cost') return
  find<HTMLInputElement>(byId('measures'), 'input[value="requests"]').checked = true
}

/** Makes the charts and lists answer to their controls, and the chart to the width of the window. */
export function setUpUsage(): void {
  byId('legend').append(...ENDPOINTS.map((endpoint) => make('li', { class: endpoint }, endpoint)))
  byId('measures').addEventListener('change', drawDays)
  setUpRecent()
  const chart = byId('chart')
  const slider = {
    role: 'slider',
    tabindex: '0',
    'aria-label': 'Day',
    'aria-valuemin': '1',
    'aria-valuemax': String(DAYS),
  }
  for (const [name, value] of Object.entries(slider)) chart.setAttribute(name, value)
  chart.addEventListener('keydown', (event) => {
    const to = dayByKey(event.key)
    if (to === undefined) return
    event.preventDefault()
    select(to)
  })
  const point = ({ clientX }: PointerEvent) => {
    const { left, width } = chart.getBoundingClientRect()
    select(dayAt(clientX - left, width, DAYS))
  }
  chart.addEventListener('pointermove', point)
  chart.addEventListener('pointerdown', point)
  new ResizeObserver(drawDays).observe(chart)
}

function dayByKey(key: string): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -7,
    PageUp: 7,
    Home: -DAYS,
    End: DAYS,
  }
  const step = steps[key]
  return step === undefined ? undefined : Math.min(DAYS - 1, Math.max(0, selected + step))
}

function select(day: number): void {
  if (day === selected) return
  selected = day
  drawDays()
}

function drawDays(): void {
  const chart = byId('chart')
  const width = chart.clientWidth
  const day = days[selected]
  if (width === 0 || day === undefined) return
  const measure = chosen(byId('measures'), 'measure') as Measure
  const said = describe(day, measure)
  chart.replaceChildren(drawChart({ days, measure, selected, width }))
  chart.setAttribute('aria-valuenow', String(selected + 1))
  chart.setAttribute('aria-valuetext', said)
  byId('day-readout').textContent = said
  byId('days-table').replaceChildren(makeDaysTable(days, NAMES[measure], measure))
  find(byId('days-table'), 'table').prepend(make('caption', { class: 'visually-hidden' }, 'Usage by day and endpoint'))
}

/** Such as `Sat, November 21: 12 requests (decisions 10, edits 2)`. */
function describe(day: Day, measure: Measure): string {
  const parts = ENDPOINTS.filter((endpoint) => valueOf(day, endpoint, measure) > 0)
  const each = parts.map((endpoint) => `${endpoint} ${shortValue(valueOf(day, endpoint, measure), measure)}`)
  const total = NAMES[measure](totalOf(day, measure))
  return `${formatDay(day.day)}: ${total}${parts.length > 1 ? ` (${each.join(', ')})` : ''}`
}

function shortValue(value: number, measure: Measure): string {
  return measure === 'cost' ? NAMES.cost(value) : formatCount(value)
}
