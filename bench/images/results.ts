import type { Peak } from '../../src/cli/bench/measure-peak.ts'
import type { DecodingFigures } from './measure-decoding.ts'
import type { StepFigures } from './measure-steps.ts'

export interface ImagesResults {
  readonly peak: Peak
  readonly steps: readonly StepFigures[]
  readonly decoding: readonly DecodingFigures[]
}
