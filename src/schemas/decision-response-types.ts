import type { AnswersOf } from './answer-types.ts'
import type { QuestionsInput, ThresholdInput } from './question-types.ts'
import type { Warning } from './warning.ts'

/** What `decide` answers. */
export interface DecisionResponse<
  Questions extends QuestionsInput = QuestionsInput,
  Threshold extends ThresholdInput = ThresholdInput,
> {
  /**
   * The model that answered, such as `decide-mini`.
   *
   * @example
   * ```ts
   * const { model } = await decide(request)
   * console.log(model) // decide-mini
   * ```
   */
  readonly model: string
  /**
   * One answer per question, under the question's name and typed by it.
   *
   * @example
   * ```ts
   * const { answers } = await decide({
   *   state: 'The parcel came broken',
   *   questions: { team: { type: 'choice', criteria: { billing: 'Payments', shipping: 'Parcels' } } },
   * })
   * answers.team.choice // 'billing' | 'shipping'
   * ```
   */
  readonly answers: AnswersOf<Questions, Threshold>
  /**
   * Tokens that the request took.
   *
   * @example
   * ```ts
   * const { usage } = await decide(request)
   * console.log(usage.input_tokens)
   * ```
   */
  readonly usage: {
    /**
     * The state once, plus the text of each question.
     *
     * @example
     * ```ts
     * const { usage } = await decide(request)
     * console.log(usage.input_tokens)
     * ```
     */
    readonly input_tokens: number
    /**
     * 0: decisions write nothing.
     *
     * @example
     * ```ts
     * const total = ({ usage }: DecisionResponse) => usage.input_tokens + usage.output_tokens
     * ```
     */
    readonly output_tokens: number
  }
  /**
   * Whole milliseconds.
   *
   * @example
   * ```ts
   * const { latency_ms } = await decide(request)
   * console.log(`${latency_ms} ms`)
   * ```
   */
  readonly latency_ms: number
  /**
   * With `symbolMass` of the engine, of models that answer with letters, digits or yes and no: the probability, 0 to 1, that these
   * have together of all that the model could write, for each question; the least of several windows or orders. Little of it says that
   * the model would rather write something else, so that its answer means little. Never on the wire.
   *
   * @example
   * ```ts
   * const strange = ({ symbol_mass = {} }: DecisionResponse) => Object.values(symbol_mass).some((mass) => mass < 0.5)
   * ```
   */
  readonly symbol_mass?: { readonly [Name in keyof Questions]: number }
  /**
   * What was ignored in the request, such as misspelt fields, and whether the state was read in windows; absent when there is
   * nothing to say, and never on the wire.
   *
   * @example
   * ```ts
   * const { warnings = [] } = await decide(request)
   * for (const { path, message } of warnings) console.warn(`${path}: ${message}`)
   * ```
   */
  readonly warnings?: readonly Warning[]
}

/**
 * The response to a request of a type; of several types one of theirs.
 *
 * @example
 * ```ts
 * const request = { state: 'x', questions: { team: { type: 'choice', criteria: { billing: null, tech: null } } } } as const
 * const teamOf = ({ answers }: ResponseTo<typeof request>): 'billing' | 'tech' => answers.team.choice
 * ```
 */
export type ResponseTo<Request> = [Request] extends [never]
  ? DecisionResponse
  : Request extends { readonly questions: infer Questions extends QuestionsInput }
    ? DecisionResponse<Questions, ThresholdOf<Request>>
    : never

type ThresholdOf<Request> = Request extends { readonly min_confidence: infer Threshold extends ThresholdInput }
  ? Threshold
  : ThresholdInput
