import type { Peak } from '../../src/cli/bench/measure-peak.ts'
import type { ColdStart } from './measure-cold-start.ts'
import type { ModelFigures } from './measure-model.ts'

export interface DecideResults {
  readonly peak: Peak
  readonly cold_start: ColdStart
  readonly models: readonly ModelFigures[]
}
