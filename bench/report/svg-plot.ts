/** A line of a plot; coordinates are positive, since both axes are logarithmic. */
export interface Series {
  readonly name: string
  readonly points: readonly (readonly [x: number, y: number])[]
}

export interface PlotLabels {
  readonly title: string
  readonly x: string
  readonly y: string
}

const WIDTH = 640
const HEIGHT = 460
const AREA = { left: 80, right: 620, top: 44, bottom: 340 }
/** Colours that stay apart for colour-blind readers (Okabe and Ito). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000']

/** A plot with two logarithmic axes, as the text of an SVG file. */
export function plotLines(series: readonly Series[], { title, x, y }: PlotLabels): string {
  const points = series.flatMap((line) => line.points)
  const across = scale(
    points.map(([value]) => value),
    AREA.left + 10,
    AREA.right - 10,
  )
  const up = scale(
    points.map(([, value]) => value),
    AREA.bottom - 10,
    AREA.top + 10,
  )
  const xTicks = [...new Set(points.map(([value]) => value))].sort((a, b) => a - b)
  const parts = [
    text(WIDTH / 2, 22, title, 'middle', 15),
    text((AREA.left + AREA.right) / 2, AREA.bottom + 38, x, 'middle'),
    `<g transform="translate(18 ${(AREA.top + AREA.bottom) / 2}) rotate(-90)">${text(0, 0, y, 'middle')}</g>`,
    ...xTicks.map(
      (value) =>
        tick(across(value), AREA.bottom, across(value), AREA.top) +
        text(across(value), AREA.bottom + 18, shorten(value), 'middle'),
    ),
    ...decades(points.map(([, value]) => value)).map(
      (value) =>
        tick(AREA.left, up(value), AREA.right, up(value)) + text(AREA.left - 8, up(value) + 4, shorten(value), 'end'),
    ),
    ...series.map((line, index) => drawLine(line, across, up, COLOURS[index % COLOURS.length] as string)),
    ...series.map(({ name }, index) => drawKey(name, index)),
  ]
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif">\n` +
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>\n${parts.join('\n')}\n</svg>\n`
  )
}

function drawLine({ points }: Series, across: Scale, up: Scale, colour: string): string {
  const at = points.map(([x, y]) => [across(x).toFixed(1), up(y).toFixed(1)] as const)
  const dots = at.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="3" fill="${colour}"/>`)
  const path = at.map((point) => point.join(',')).join(' ')
  return `<polyline points="${path}" fill="none" stroke="${colour}"/>${dots.join('')}`
}

/** Names of the lines, two to a row below the axis and its title. */
function drawKey(name: string, index: number): string {
  const x = AREA.left + (index % 2) * 270
  const y = AREA.bottom + 66 + Math.floor(index / 2) * 18
  const colour = COLOURS[index % COLOURS.length] as string
  return `<rect x="${x}" y="${y - 9}" width="10" height="10" fill="${colour}"/>${text(x + 15, y, name, 'start', 11)}`
}

type Scale = (value: number) => number

function scale(values: readonly number[], from: number, to: number): Scale {
  const least = Math.log(Math.min(...values))
  const most = Math.log(Math.max(...values))
  const span = most - least || 1
  return (value) => from + ((Math.log(value) - least) / span) * (to - from)
}

/** 1, 2 and 5 times powers of ten between the smallest and the largest value. */
function decades(values: readonly number[]): number[] {
  const least = Math.min(...values)
  const most = Math.max(...values)
  const ticks: number[] = []
  for (let power = 10 ** Math.floor(Math.log10(least)); power <= most; power *= 10) {
    ticks.push(...[1, 2, 5].map((step) => step * power).filter((value) => value >= least && value <= most))
  }
  return ticks.length > 0 ? ticks : [least, most]
}

function tick(x1: number, y1: number, x2: number, y2: number): string {
  const [a, b, c, d] = [x1, y1, x2, y2].map((value) => value.toFixed(1))
  return `<line x1="${a}" y1="${b}" x2="${c}" y2="${d}" stroke="#ddd"/>`
}

function text(x: number, y: number, content: string, anchor: string, size = 12): string {
  const place = `x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" font-size="${size}"`
  return `<text ${place}>${escape(content)}</text>`
}

function shorten(value: number): string {
  const [divided, unit] = value >= 1e6 ? [value / 1e6, 'M'] : value >= 1e4 ? [value / 1e3, 'k'] : [value, '']
  return `${Number(divided.toPrecision(3))}${unit}`
}

function escape(value: string): string {
  return value.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)
}
