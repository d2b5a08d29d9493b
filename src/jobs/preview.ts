/** A look at a picture while it is drawn: what the model expects it to become, in the shape of the picture and mostly small and coarse. */
export interface Preview {
  /**
   * Which of the call's pictures, from 0.
   *
   * @example
   * ```ts
   * const name = ({ picture, step }: Preview) => `${picture}-${step}.png`
   * ```
   */
  readonly picture: number
  /**
   * Denoising steps that are done, from 1.
   *
   * @example
   * ```ts
   * const share = ({ step, steps }: Preview) => step / steps
   * ```
   */
  readonly step: number
  /**
   * Denoising steps of the picture.
   *
   * @example
   * ```ts
   * const isLast = ({ step, steps }: Preview) => step === steps
   * ```
   */
  readonly steps: number
  /**
   * A PNG as base64. Of the published models it is an eighth as wide and high as what is drawn, of the embedded one, and with a decoder for
   * previews, as large as that.
   *
   * @example
   * ```ts
   * const url = ({ b64_json }: Preview) => `data:image/png;base64,${b64_json}`
   * ```
   */
  readonly b64_json: string
}
