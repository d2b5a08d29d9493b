import { expect, it } from 'vitest'
import type { QuestionCalibration } from './calibrate.ts'
import { formatCalibration } from './format-calibration.ts'

const METRICS = { n: 4, accuracy: 1, margin: 0.2, majority: 0.5, brier: 0.1, ece: 0.1, eceByChance: 0.1, logLoss: 0.1 }

function reportOn(...names: string[]): string {
  const questions = names.map((name): QuestionCalibration => ({
    name,
    status: 'too few',
    rows: 4,
    few: true,
    head: 'too few',
    before: METRICS,
    after: METRICS,
  }))
  const model = { id: 'm', version: '1', weights: 'float', template: 't' }
  const calibration = { format: 'tessera-calibration-1', model, questions: [] } as const
  return formatCalibration({ calibration: { ...calibration, questions: [] }, questions, failed: [] })
}

it('says of lines of one name why there are several', () => {
  expect(reportOn('team', 'spam', 'team', 'team')).toMatch(
    /\n\nThe rows ask team in 3 ways, with other instructions or options: each is a question of its own$/,
  )
  expect(reportOn('team', 'spam')).not.toContain('The rows ask')
})
