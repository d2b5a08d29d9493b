import { fitExponent } from '../measure/fit-exponent.ts'
import { figure, ms, table } from '../report/markdown.ts'
import { plotLines } from '../report/svg-plot.ts'
import type { Curve, GrowthResults } from './results.ts'

const AXES = ['state tokens', 'questions', 'pixels', 'clients'] as const

export function renderGrowth({ layers, curves }: GrowthResults) {
  const parts = AXES.map((over) => {
    const some = curves.filter((curve) => curve.over === over)
    const name = `growth-${over.replace(' ', '-')}`
    const series = some.map((curve) => ({ name: curve.name, points: times(curve) }))
    const svg = plotLines(series, { title: `Time against ${over}`, x: over, y: 'milliseconds' })
    const heading = `## ${over[0]?.toUpperCase()}${over.slice(1)}`
    return {
      plot: { name, svg },
      markdown: [heading, describe(some), figure(name, `Time against ${over}`)].join('\n\n'),
    }
  })
  const intro = `The embedded model, and Qwen3-0.6B shapes with ${layers} of 28 layers in int8; one question of 64 tokens, or a
state of 1,024 tokens. Memory is the most that the process held during a first call beyond what it held before it; where
that took more than 15 s, its time counts, and it is not repeated. The exponent is that of a power law through all points: 1 is
proportional. Clients ask ten questions, the next one as soon as they have an answer; the first and the last of each are left out; before 2026-11-29 all of them together asked 64.`
  return {
    markdown: [intro, ...parts.map(({ markdown }) => markdown)].join('\n\n'),
    plots: parts.map(({ plot }) => plot),
  }
}

function describe(curves: readonly Curve[]): string {
  return table(
    ['', 'time', 'memory', 'exponent'],
    curves.map((curve) => [
      curve.name,
      curve.points.map(({ x, time }) => `${x}: ${ms(time)}`).join('<br>'),
      curve.points
        .map(({ x, memory_mib: mib }) => `${x}: ${mib === undefined ? '–' : `${mib.toFixed(0)} MiB`}`)
        .join('<br>'),
      fitExponent(times(curve)).toFixed(2),
    ]),
  )
}

function times({ points }: Curve): [number, number][] {
  return points.map(({ x, time }) => [x, time.median])
}
