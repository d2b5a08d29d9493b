/** Of each part, names of tensors that published checkpoints carry and nothing is computed from; all others have to be read. */
export interface UnreadTensors {
  readonly transformer: readonly RegExp[]
  readonly vae: readonly RegExp[]
  /** Of pipelines that may have a ControlNet. */
  readonly controlnet?: readonly RegExp[]
}
