import type { Session, Tensor } from '../../backends/backend.ts'

/** What a step of one picture is computed from; see `buildZImageTransformer`. */
export interface StepInputs {
  readonly tokens: Tensor
  readonly token_rows: Tensor
  readonly timestep: Tensor
  readonly caption: Tensor
  readonly cos: Tensor
  readonly sin: Tensor
  readonly caption_cos: Tensor
  readonly caption_sin: Tensor
}

/** What a ControlNet is given: tokens [N, 4 · control_in_dim] of the control's latents, and the factor of what it adds. */
export interface ControlInputs {
  readonly tokens: Float32Array
  readonly scale: number
}

/** Runs Z-Image's transformer for one step. */
export interface ZImageSteps {
  /**
   * The velocity with its sign changed, for the tokens of the picture.
   *
   * @param turn is awaited before every run
   */
  predict(inputs: StepInputs, control: ControlInputs | undefined, turn: () => Promise<void>): Promise<Float32Array>
  dispose(): Promise<void>
}

/** The transformer of a pipeline without a ControlNet, in one session. */
export function createWholeSteps(session: Session): ZImageSteps {
  return {
    async predict(inputs, _control, turn) {
      await turn()
      const { prediction } = await session.run({ ...inputs })
      return prediction!.data as Float32Array
    },
    dispose: () => session.dispose(),
  }
}
