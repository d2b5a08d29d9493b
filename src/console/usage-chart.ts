import { make, makeSvg } from './dom.ts'
import { formatCompact, formatDay, formatShort, formatShortDay } from './format.ts'
import { axisTicks, type Day, ENDPOINTS, type Measure, totalOf, valueOf } from './usage-days.ts'

const HEIGHT = 200
const MARGIN = { top: 8, right: 4, bottom: 24, left: 60 }
/** Room that the name of a day takes, in pixels. */
const NAME_WIDTH = 64
/** As exactly as amounts are shown. */
const LEAST_COST = 1e-6

export interface ChartParts {
  readonly days: readonly Day[]
  readonly measure: Measure
  /** Index of the day that is read out. */
  readonly selected: number
  readonly width: number
}

/** Bars by day, one part for each endpoint. Colours come from the style sheet by the endpoint's name. */
export function drawChart({ days, measure, selected, width }: ChartParts): SVGElement {
  const right = width - MARGIN.right
  const bottom = HEIGHT - MARGIN.bottom
  const most = Math.max(...days.map((day) => totalOf(day, measure)))
  const ticks = axisTicks(most, measure === 'cost' ? LEAST_COST : 1)
  const top = ticks.at(-1)!
  const y = (value: number) => bottom - (value / top) * (bottom - MARGIN.top)
  const pitch = (right - MARGIN.left) / days.length
  const x = (index: number) => MARGIN.left + index * pitch
  const every = Math.ceil(NAME_WIDTH / pitch)
  return makeSvg(
    'svg',
    { width: width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, 'aria-hidden': 'true' },
    makeSvg('rect', { class: 'selected', x: x(selected), y: MARGIN.top, width: pitch, height: bottom - MARGIN.top }),
    ...ticks.flatMap((tick) => [
      makeSvg('line', { class: 'grid', x1: MARGIN.left, x2: right, y1: y(tick), y2: y(tick) }),
      makeSvg('text', { x: MARGIN.left - 8, y: y(tick) + 4, 'text-anchor': 'end' }, formatTick(tick, measure)),
    ]),
    ...days.flatMap((day, index) => drawBar(day, measure, x(index) + pitch * 0.15, pitch * 0.7, y)),
    // From today backwards, so that today always has its name.
    ...days.flatMap(({ day }, index) =>
      (days.length - 1 - index) % every !== 0
        ? []
        : [
            makeSvg(
              'text',
              {
                x: Math.min(x(index) + pitch / 2, right - NAME_WIDTH / 3),
                y: HEIGHT - 6,
                'text-anchor': 'middle',
              },
              formatShortDay(day),
            ),
          ],
    ),
  )
}

/** The day at a horizontal position within the chart. */
export function dayAt(position: number, width: number, count: number): number {
  const share = (position - MARGIN.left) / (width - MARGIN.right - MARGIN.left)
  return Math.min(count - 1, Math.max(0, Math.floor(share * count)))
}

/** The same numbers as a table: what the chart is for those who cannot see it. */
export function makeDaysTable(days: readonly Day[], format: (value: number) => string, measure: Measure): HTMLElement {
  const head = ['Day', ...ENDPOINTS, 'Total'].map((name) => make('th', { scope: 'col' }, name))
  const rows = [...days]
    .reverse()
    .map((day) =>
      make(
        'tr',
        {},
        make('th', { scope: 'row' }, formatDay(day.day)),
        ...[...ENDPOINTS.map((endpoint) => valueOf(day, endpoint, measure)), totalOf(day, measure)].map((value) =>
          make('td', {}, format(value)),
        ),
      ),
    )
  return make('table', {}, make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...rows))
}

function drawBar(day: Day, measure: Measure, x: number, width: number, y: (value: number) => number): SVGElement[] {
  let below = 0
  return ENDPOINTS.flatMap((endpoint) => {
    const value = valueOf(day, endpoint, measure)
    if (value === 0) return []
    const from = below
    below += value
    // What is there is seen, however little it is.
    const height = Math.max(1, y(from) - y(below))
    const place = { x, y: y(from) - height, width, height }
    return [makeSvg('rect', { class: `bar ${endpoint}`, ...place, 'data-value': value })]
  })
}

function formatTick(tick: number, measure: Measure): string {
  return measure === 'cost' ? `€${formatShort(tick)}` : formatCompact(tick)
}
