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
  /** `unknown_field`: a field that nothing reads. */
  readonly code: 'unknown_field'
  /** Where in the request, such as `questions.urgent.min_confidance`. */
  readonly path: string
  /** What was ignored, and what may have been meant. */
  readonly message: string
}
