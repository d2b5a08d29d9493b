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
export { type Decides, evaluate, type EvaluateOptions, type Evaluation, type QuestionEvaluation } from './evaluate.ts'
export type { Label, LabelledRow } from './labelled-rows.ts'
export type { Metrics, ReliabilityBin } from './metrics.ts'
export type { Threshold } from './threshold.ts'
