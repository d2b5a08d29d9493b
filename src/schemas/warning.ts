/** Of an answer over HTTP with pictures: what the model could not draw of the prompt, a JSON array of `{ code, path, message }`. */
export const WARNINGS_HEADER = 'tessera-warnings'

/**
 * Something that a caller may not expect of a request that was answered: a part that had no effect, or a state that was not read
 * whole.
 *
 * @example
 * ```ts
 * const { warnings = [] } = await decide({ state: 'x', questions: { q: { type: 'noul', instructions: 'x' } } })
 * for (const { message } of warnings) console.warn(message)
 * ```
 */
export interface Warning {
  /**
   * `unknown_field`: a field that nothing reads. `unknown_words`: words that mean nothing to the model that draws. `nothing_named`: a prompt
   * without anything that it draws. `unknown_letters`: letters in quotes that it does not write. `object_colors`: colours
   * of objects, to a model that draws these in their usual ones. `many_objects`: more things than it draws in a picture. `read_in_windows`: the state is longer than the model reads at once beside some
   * questions, whose answers are pooled over windows of it.
   *
   * @example
   * ```ts
   * const { warnings = [] } = await decide(request)
   * const wasInWindows = warnings.some(({ code }) => code === 'read_in_windows')
   * ```
   */
  readonly code:
    | 'unknown_field'
    | 'unknown_words'
    | 'nothing_named'
    | 'unknown_letters'
    | 'object_colors'
    | 'many_objects'
    | 'read_in_windows'
  /**
   * Where in the request, such as `questions.urgent.min_confidance`.
   *
   * @example
   * ```ts
   * const { warnings = [] } = await decide(request)
   * const fields = warnings.map(({ path }) => path)
   * ```
   */
  readonly path: string
  /**
   * What was ignored, and what may have been meant; or in how many windows which questions were read.
   *
   * @example
   * ```ts
   * const { warnings = [] } = await decide(request)
   * for (const { message } of warnings) console.warn(message)
   * ```
   */
  readonly message: string
}
