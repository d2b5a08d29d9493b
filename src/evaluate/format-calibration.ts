import type { CalibrationResult, QuestionCalibration } from './calibrate.ts'
import { formatTable, percent } from './format-evaluation.ts'

const MEANING = {
  fitted: 'fitted',
  kept: 'left as shipped: a fit made held-out rows no better',
  'too few': 'left as shipped: needs ten rows, not all with one answer',
} as const

/** A report on a fit, as text. */
export function formatCalibration({ questions }: CalibrationResult): string {
  const head = ['', 'rows', 'right', 'Brier', 'ECE', '', 'min_confidence', 'decided', 'wrong (95 %)', '']
  return formatTable([head, ...questions.map(row)])
}

function row({ name, status, rows, few, before, after, threshold }: QuestionCalibration): string[] {
  const arrow = (a: number, b: number) => (status === 'fitted' ? `${a.toFixed(3)} → ${b.toFixed(3)}` : a.toFixed(3))
  const notes = `${MEANING[status]}${few && status !== 'too few' ? '; few rows' : ''}`
  const { minConfidence, coverage, error, interval } = threshold ?? {}
  return [
    name,
    String(rows),
    arrow(before.accuracy, after.accuracy),
    arrow(before.brier, after.brier),
    arrow(before.ece, after.ece),
    '',
    minConfidence === undefined ? 'none' : minConfidence.toFixed(3),
    coverage === undefined ? '' : percent(coverage),
    error === undefined || !interval ? '' : `${percent(error)} (${percent(interval[0])} to ${percent(interval[1])})`,
    notes,
  ]
}
