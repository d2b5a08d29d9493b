import type { OutcomeOfText } from './cross-validate.ts'
import type { LabelledQuestion } from './labelled-rows.ts'

/** One labelled question with what was answered. */
export interface AnsweredQuestion extends LabelledQuestion, OutcomeOfText {
  /** See `DecisionOutput`: where they were asked for and the model has them. */
  readonly features?: Float32Array | undefined
}
