import { compareEvaluations } from './compare.ts'
import type { Evaluation } from './evaluate.ts'
import { formatEvaluation, points } from './format-evaluation.ts'

const SIZE = 260
const EDGE = 44
/** Colours that stay apart for colour-blind readers (Okabe and Ito). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9']

/** One page with everything about some evaluations of the same rows: no scripts, nothing loaded from elsewhere. */
export function renderReport(evaluations: readonly Evaluation[]): string {
  const first = evaluations[0]!
  const comparisons = evaluations.slice(1).map((other) => {
    const { onlyFirst, onlySecond, difference, margin } = compareEvaluations(first, other)
    const sign = difference < 0 ? '−' : '+'
    return `<p>${escape(first.model)} against ${escape(other.model)}: ${sign}${points(Math.abs(difference))} right (± ${points(margin)}); only the first ${onlyFirst}, only the second ${onlySecond}.</p>`
  })
  const charts = [
    chart('Error of what is decided', 'share decided', 'share wrong', evaluations, ({ coverage }) =>
      coverage.map((point) => [point.coverage, point.error]),
    ),
    chart('Calibration', 'probability of the answer', 'share right', evaluations, ({ reliability }) =>
      reliability.map((bin) => [bin.confidence, bin.accuracy]),
    ),
  ]
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Evaluation of ${escape(evaluations.map(({ model }) => model).join(', '))}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color-scheme: light dark }
figure { display: inline-block; margin: 0 1rem 1rem 0 }
pre { overflow-x: auto }
svg { font-size: 11px }
</style>
<h1>Evaluation on ${first.rows} rows</h1>
<p>${evaluations.map(({ model }, index) => `<span style="color:${colour(index)}">■</span> ${escape(model)}`).join(' ')}</p>
${comparisons.join('\n')}
${charts.join('\n')}
${evaluations.map((evaluation) => `<h2>${escape(evaluation.model)}</h2>\n<pre>${escape(formatEvaluation(evaluation))}</pre>`).join('\n')}
</html>
`
}

/** Whether a page is such a report. */
export function isReport(page: string): boolean {
  return page.startsWith('<!doctype html>') && page.includes('<title>Evaluation of ')
}

type Point = readonly [x: number, y: number]

/** A square with both axes from 0 to 1 and a line for each evaluation. */
function chart(
  title: string,
  x: string,
  y: string,
  evaluations: readonly Evaluation[],
  points: (evaluation: Evaluation) => Point[],
): string {
  const across = (value: number) => (EDGE + value * SIZE).toFixed(1)
  const up = (value: number) => (10 + (1 - value) * SIZE).toFixed(1)
  const lines = evaluations.map((evaluation, index) => {
    const at = points(evaluation).map(([a, b]) => `${across(a)},${up(b)}`)
    const dots = at.length > 40 ? [] : at.map((point) => `<circle cx="${point.replace(',', '" cy="')}" r="2.5"/>`)
    return `<g fill="${colour(index)}"><polyline points="${at.join(' ')}" fill="none" stroke="${colour(index)}"/>${dots.join('')}</g>`
  })
  const ticks = [0, 0.25, 0.5, 0.75, 1].map(
    (value) =>
      `<text x="${across(value)}" y="${SIZE + 26}" text-anchor="middle">${value}</text>` +
      `<text x="${EDGE - 6}" y="${up(value)}" text-anchor="end" dominant-baseline="middle">${value}</text>`,
  )
  return `<figure><figcaption>${title}: ${y} over ${x}</figcaption>
<svg width="${SIZE + EDGE + 20}" height="${SIZE + 34}" fill="currentColor" role="img" aria-label="${title}: ${y} over ${x}">
<rect x="${EDGE}" y="10" width="${SIZE}" height="${SIZE}" fill="none" stroke="currentColor" opacity=".3"/>
<line x1="${across(0)}" y1="${up(0)}" x2="${across(1)}" y2="${up(1)}" stroke="currentColor" opacity=".2"/>
${ticks.join('')}
${lines.join('\n')}
</svg></figure>`
}

function colour(index: number): string {
  return COLOURS[index % COLOURS.length]!
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)
}
