/**
 * Something in a request that had no effect. It changes no result.
 *
 * @example
 * ```ts
 * const { warnings = [] } = await decide({ state: 'x', questions: { q: { type: 'noul', instructions: 'x' } } })
 * for (const { message } of warnings) console.warn(message)
 * ```
 */
export interface Warning {
  /** `unknown_field`: a field that nothing reads. `unknown_words`: words that mean nothing to the model that draws. */
  readonly code: 'unknown_field' | 'unknown_words'
  /** Where in the request, such as `questions.urgent.min_confidance`. */
  readonly path: string
  /** What was ignored, and what may have been meant. */
  readonly message: string
}
