export type { RowFailure } from './answer-rows.ts'
export type { OwnCalibration } from '../decide/own-calibration.ts'
export {
  type CalibrateOptions,
  type Calibrates,
  calibrate,
  type CalibrationMetrics,
  type CalibrationResult,
  type QuestionCalibration,
} from './calibrate.ts'
export { compareEvaluations, type Comparison } from './compare.ts'
export type { Confusion } from './confusion.ts'
export type { CoveragePoint } from './coverage.ts'
export { evaluate, type Evaluation, type QuestionEvaluation } from './evaluate.ts'
export type { Decides, EvaluateOptions } from './evaluate-options.ts'
export type { Label, LabelledRow } from './labelled-rows.ts'
export type { Metrics, ReliabilityBin } from './metrics.ts'
export type { Threshold } from './threshold.ts'
