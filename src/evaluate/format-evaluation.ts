import type { CoveragePoint } from './coverage.ts'
import type { Evaluation } from './evaluate.ts'
import type { Metrics } from './metrics.ts'
import { wilsonInterval } from './threshold.ts'

/** Shares of wrong answers that the coverage is given for. */
const ERRORS = [0.01, 0.05, 0.1]

/** An evaluation as text: a table of figures by question, confusion tables, and what share is decided at a given error. */
export function formatEvaluation(evaluation: Evaluation): string {
  const { model, rows, failed, overall, questions, coverage, cost } = evaluation
  const missing = failed.length === 0 ? '' : ` and ${failed.length} that could not be answered`
  const head = ['', 'n', 'right', 'majority', 'Brier', 'ECE', 'by chance', 'off by', 'rank corr.']
  const lines = Object.entries(questions).map(([name, metrics]) => figures(name, metrics))
  const parts = [
    `${model}: ${rows} rows${missing}, ${cost.inputTokens} tokens in ${cost.seconds.toFixed(1)} s`,
    formatTable([head, ...lines, ...(lines.length > 1 ? [figures('all', overall)] : [])]),
    ...ERRORS.map((error) => {
      const point = coverage.findLast((candidate) => candidate.error <= error)
      return `at most ${percent(error)} wrong: ${point ? describeDecided(point, overall.n) : 'none'}`
    }),
    ...Object.entries(questions).flatMap(([name, { confusion }]) =>
      confusion ? [`${name}: right answer down, given answer across`, formatConfusion(confusion)] : [],
    ),
  ]
  return parts.join('\n\n').replace(/(wrong: .*)\n\n(?=at most)/g, '$1\n')
}

/** The interval says how much it means: one answer that is right is no error, and leaves room for 79 %. */
function describeDecided({ coverage, threshold, error }: CoveragePoint, n: number): string {
  const decided = Math.round(coverage * n)
  const [low, high] = wilsonInterval(Math.round(error * decided), decided)
  const wrong = `${percent(error)} of them wrong (${percent(low)} to ${percent(high)})`
  return `${percent(coverage)} decided with min_confidence ${threshold}, ${wrong}`
}

function figures(name: string, metrics: Metrics): string[] {
  const { n, accuracy, majority, brier, ece, eceByChance, mae, rankCorrelation } = metrics
  const optional = (value: number | undefined) => (value === undefined ? '' : value.toFixed(2))
  // With `margin` to both sides the interval would reach beyond 1, and not as far down as it does.
  const [low, high] = wilsonInterval(accuracy * n, n)
  const share = `${accuracy.toFixed(3)} (${low.toFixed(3)}–${high.toFixed(3)})`
  return [
    name,
    String(n),
    share,
    majority.toFixed(3),
    brier.toFixed(3),
    ece.toFixed(3),
    eceByChance.toFixed(3),
    optional(mae),
    optional(rankCorrelation),
  ]
}

function formatConfusion({
  options,
  counts,
}: {
  options: readonly string[]
  counts: readonly (readonly number[])[]
}): string {
  return formatTable([['', ...options], ...counts.map((row, index) => [options[index]!, ...row.map(String)])])
}

/** Columns as wide as they need, the first one to the left and numbers to the right. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n')
}

export function percent(share: number): string {
  return `${hundredths(share)} %`
}

/** A difference between two shares: 0.35 and 0.81 are 46 points apart, but 131 % of the smaller one. */
export function points(difference: number): string {
  return `${hundredths(difference)} points`
}

function hundredths(share: number): string {
  return (share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)
}
