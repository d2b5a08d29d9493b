import type { CalibrationResult, QuestionCalibration } from './calibrate.ts'
import { formatTable, percent } from './format-evaluation.ts'
import { groupBy } from './metrics.ts'

const MEANING = {
  fitted: 'fitted',
  kept: 'left as shipped: a fit made held-out rows no better',
  'too few': 'left as shipped: needs ten rows, not all with one answer or one state',
} as const

const HEADS = {
  fitted: 'with a head: as shipped → calibrated → with the head',
  'no better': 'a head made held-out rows no better',
  'too few': 'a head needs 100 rows',
  none: 'this model takes no head',
} as const

/** A report on a fit, as text. */
export function formatCalibration({ questions }: CalibrationResult): string {
  const head = ['', 'rows', 'right', 'Brier', 'ECE', '', 'min_confidence', 'decided', 'wrong (95 %)', '']
  const table = formatTable([head, ...questions.map(row)])
  return [table, ...listWordings(questions)].join('\n\n')
}

/** Names that several lines have, since the rows do not all ask the same by them: often that was not meant. */
function listWordings(questions: readonly QuestionCalibration[]): string[] {
  const several = [...groupBy(questions, ({ name }) => name)].filter(([, same]) => same.length > 1)
  return several.map(
    ([name, same]) =>
      `The rows ask ${name} in ${same.length} ways, with other instructions or options: each is a question of its own`,
  )
}

function row(question: QuestionCalibration): string[] {
  const { name, status, head, rows, few, before, calibrated, withHead, after, threshold } = question
  const steps = head === 'fitted' ? [before, calibrated!, withHead!] : status === 'fitted' ? [before, after] : [before]
  const chain = (figure: 'accuracy' | 'brier' | 'ece') => steps.map((step) => step[figure].toFixed(3)).join(' → ')
  const fewer = few && status !== 'too few' ? ['few rows'] : []
  const notes = [MEANING[status], ...(status === 'too few' ? [] : [HEADS[head]]), ...fewer].join('; ')
  const { minConfidence, coverage, error, interval } = threshold ?? {}
  return [
    name,
    String(rows),
    chain('accuracy'),
    chain('brier'),
    chain('ece'),
    '',
    minConfidence === undefined ? 'none' : String(minConfidence),
    coverage === undefined ? '' : percent(coverage),
    error === undefined || !interval ? '' : `${percent(error)} (${percent(interval[0])} to ${percent(interval[1])})`,
    notes,
  ]
}
