/** Limits of a request. Where two are given they are the smallest and the largest value allowed. */
export const LIMITS = {
  questions: { min: 1, max: 32 },
  /** Options of a choice. The upper one is the default of the setting `maxOptions` of engines and servers. */
  options: { min: 2, max: 26 },
  /** Levels of a score. */
  levels: { min: 2, max: 10 },
  /** Unicode code points of a string state, or of the compact JSON of an object or array. */
  stateCharacters: 200_000,
  /** The same measure for one instruction, option meaning or level description. Longer ones fit no model's context. */
  textCharacters: 200_000,
  /** Length of the name of a question or an option, in UTF-16 units. They come back in answers and in errors. */
  nameCharacters: 10_000,
  /** Levels of nesting in a state or a structured text. Far above real data, far below what recursion can bear. */
  jsonDepth: 1_000,
  minConfidence: { min: 0, max: 1 },
  /** Unicode code points of an image prompt. */
  promptCharacters: 32_000,
  /** Pixels per image side. */
  imageSide: { min: 16, max: 2048 },
  imagesPerCall: { min: 1, max: 4 },
  /** Source images of one edit. */
  sourceImages: { min: 1, max: 10 },
} as const

/** How many options a choice may have, where an engine or a server sets it otherwise. */
export interface OptionLimits {
  /**
   * Largest number of options of a choice, 2 or more; default 26, as in section 2.5 of the specification.
   *
   * @example
   * ```ts
   * const body: unknown = JSON.parse('{"state":"x","questions":{"angry":{"type":"noul","instructions":"Angry?"}}}')
   * const request = parseDecisionRequest(body, { maxOptions: 50 })
   * ```
   */
  readonly maxOptions?: number | undefined
}

/** What `parseDecisionRequest` may be told. */
export interface ParseSettings extends OptionLimits {
  /**
   * Ends the path of a fault inside a state or a text before the first member name, which is the caller's content: for
   * services, whose errors go to logs. Default false: `state.rows.3.price`.
   *
   * @example
   * ```ts
   * const body: unknown = JSON.parse('{"state":"x","questions":{"angry":{"type":"noul","instructions":"Angry?"}}}')
   * const request = parseDecisionRequest(body, { hidesMembers: true })
   * ```
   */
  readonly hidesMembers?: boolean | undefined
}
