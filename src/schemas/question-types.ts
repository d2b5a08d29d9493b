/**
 * What the questions are about: a string, or a record or list that `JSON.stringify` can write, up to 200,000 characters.
 * Dates, `toJSON`, class instances and `undefined` members are read as it reads them. An interface is not assignable to
 * JSON types, so what is inside is checked at run time only.
 *
 * @example
 * ```ts
 * const state: StateInput = { subject: 'Refund', text: 'I was charged twice', received: new Date() }
 * ```
 */
export type StateInput = string | object

/** A text as a caller may pass it: a string, or JSON that is read as such. `null` says nothing. */
export type TextInput = string | object | null

interface QuestionInputFields {
  /**
   * What is asked, as one would ask a person. A noul needs it unless its criteria say what is asked; a choice or a score
   * may do with its criteria alone.
   *
   * @example
   * ```ts
   * const question: NoulQuestionInput = { type: 'noul', instructions: 'Does this need an answer today?' }
   * ```
   */
  readonly instructions?: TextInput | undefined
  /**
   * Confidence, 0 to 1, from which the answer counts as `decided`; instead of the request's. `null` is the same as none.
   *
   * @example
   * ```ts
   * const question: NoulQuestionInput = { type: 'noul', instructions: 'Is it spam?', min_confidence: 0.9 }
   * ```
   */
  readonly min_confidence?: number | null | undefined
}

/**
 * A yes/no question, answered with the probability of yes.
 *
 * @example
 * ```ts
 * const urgent: NoulQuestionInput = { type: 'noul', instructions: 'Does this need an answer today?' }
 * ```
 */
export interface NoulQuestionInput extends QuestionInputFields {
  /**
   * `noul`: yes or no.
   *
   * @example
   * ```ts
   * const urgent = { type: 'noul', instructions: 'Does this need an answer today?' } as const
   * ```
   */
  readonly type: 'noul'
  /**
   * What yes and what no mean, where the instructions leave it open.
   *
   * @example
   * ```ts
   * const spam: NoulQuestionInput = { type: 'noul', criteria: { true: 'An advertisement', false: 'A message to us' } }
   * ```
   */
  readonly criteria?:
    | {
        /**
         * What yes means.
         *
         * @example
         * ```ts
         * const criteria: NoulQuestionInput['criteria'] = { true: 'The writer wants money back' }
         * ```
         */
        readonly true?: TextInput | undefined
        /**
         * What no means.
         *
         * @example
         * ```ts
         * const criteria: NoulQuestionInput['criteria'] = { true: 'An advertisement', false: 'A message to us' }
         * ```
         */
        readonly false?: TextInput | undefined
      }
    | null
    | undefined
}

/**
 * Which of 2 to 26 options, answered with a probability for each.
 *
 * @example
 * ```ts
 * const team: ChoiceQuestionInput = { type: 'choice', instructions: 'Who?', criteria: { billing: 'Payments', tech: 'Bugs' } }
 * ```
 */
export interface ChoiceQuestionInput extends QuestionInputFields {
  /**
   * `choice`: one of several options.
   *
   * @example
   * ```ts
   * const team = { type: 'choice', criteria: { billing: 'Payments', tech: 'Bugs' } } as const
   * ```
   */
  readonly type: 'choice'
  /**
   * The options by name, each with what it means; `null` where the name says enough. 2 to 26 of them, unless
   * `maxOptions` of the engine says otherwise.
   *
   * @example
   * ```ts
   * const criteria: ChoiceQuestionInput['criteria'] = { billing: 'Payments and refunds', tech: 'Bugs', other: null }
   * ```
   */
  readonly criteria: Readonly<Record<string, TextInput>>
}

/**
 * Where on a scale of 2 to 10 levels, answered with the expected level and a probability for each.
 *
 * @example
 * ```ts
 * const anger: ScoreQuestionInput = { type: 'score', instructions: 'How angry?', criteria: ['calm', 'annoyed', 'furious'] }
 * ```
 */
export interface ScoreQuestionInput extends QuestionInputFields {
  /**
   * `score`: a level of a scale.
   *
   * @example
   * ```ts
   * const anger = { type: 'score', instructions: 'How angry?', criteria: ['calm', 'furious'] } as const
   * ```
   */
  readonly type: 'score'
  /**
   * What each level means, the lowest first; 2 to 10 of them. The first is level 0.
   *
   * @example
   * ```ts
   * const criteria: ScoreQuestionInput['criteria'] = ['calm', 'annoyed', 'furious']
   * ```
   */
  readonly criteria: readonly (string | object)[]
}

/** A question as callers write it, told apart by its `type`. */
export type QuestionInput = NoulQuestionInput | ChoiceQuestionInput | ScoreQuestionInput

/** Questions by the names under which their answers come back; 1 to 32 of them. */
export type QuestionsInput = Readonly<Record<string, QuestionInput>>

/** A threshold for all questions of a request, or none. */
export type ThresholdInput = number | null | undefined

/**
 * A decision request as a caller writes it. A function of yours that passes one on to `decide`, and has answers of its types, takes an
 * `ExactDecisionRequest`.
 *
 * @example
 * ```ts
 * const request: DecisionRequestInput = {
 *   state: 'I was charged twice and want my money back.',
 *   questions: { refund: { type: 'noul', instructions: 'Does the writer want money back?' } },
 * }
 * ```
 */
export interface DecisionRequestInput<
  Questions extends QuestionsInput = QuestionsInput,
  Threshold extends ThresholdInput = ThresholdInput,
> {
  /**
   * What the questions are about: a string, a record or a list, up to 200,000 characters as JSON. It is read once,
   * however many questions there are. An empty string is taken: the questions are then answered from their own words.
   *
   * @example
   * ```ts
   * const ticket = { subject: 'Refund', text: 'I was charged twice' }
   * const { answers } = await decide({ state: ticket, questions: { angry: { type: 'noul', instructions: 'Angry?' } } })
   * ```
   */
  readonly state: StateInput
  /**
   * 1 to 32 questions, each under a name of yours, under which its answer comes back. They do not see each other.
   *
   * @example
   * ```ts
   * const { answers } = await decide({
   *   state: 'The parcel came broken',
   *   questions: {
   *     urgent: { type: 'noul', instructions: 'Does this need an answer today?' },
   *     team: { type: 'choice', instructions: 'Who should handle it?', criteria: { billing: 'Payments', shipping: null } },
   *     anger: { type: 'score', instructions: 'How angry is the writer?', criteria: ['calm', 'annoyed', 'furious'] },
   *   },
   * })
   * answers.team.choice // 'billing' | 'shipping'
   * ```
   */
  readonly questions: Questions
  /**
   * Confidence, 0 to 1, from which answers count as `decided`, for all questions that set none. `null` is the same as
   * none.
   *
   * @example
   * ```ts
   * const { answers } = await decide({
   *   state: 'The parcel came broken',
   *   questions: { urgent: { type: 'noul', instructions: 'Does this need an answer today?' } },
   *   min_confidence: 0.6,
   * })
   * if (!answers.urgent.decided) console.log('a person should look')
   * ```
   */
  readonly min_confidence?: Threshold | undefined
  /**
   * Which model answers: a name of the engine's `models`, an embedded model, or one that was fetched from the hub, such as
   * `owner/name`, `owner/name:Q4_K_M` or `julia-1`. Default `decide-latest`. Names of compatible services are answered by
   * the default model; `model` of the response says which that was.
   *
   * @example
   * ```ts
   * await decide({
   *   state: 'x',
   *   questions: { long: { type: 'noul', instructions: 'Is it long?' } },
   *   model: 'decide-mini',
   * })
   * ```
   */
  readonly model?: string | undefined
}
