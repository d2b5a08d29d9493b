import type { CallOptions } from './call-options.ts'

/** Registered, since whoever asks and the engine may come from two files of the package. */
const LISTENER = Symbol.for('tessera.feature-listener')

/** Who is told the features of some questions of a call; `DecisionOutput` says what they are. */
export interface FeatureListener {
  /** Names of the questions. */
  readonly names: readonly string[]
  /** Whether a calibration is fitted to the answers: they are to be those of the model as it was shipped. */
  readonly isCalibrating?: boolean
  /** Is called before the answers are returned; not for models that have none. */
  onFeatures(features: Readonly<Record<string, Float32Array>>): void
}

interface ListenedOptions extends CallOptions {
  readonly [LISTENER]?: FeatureListener
}

/** Options of a decision that tell the features of its questions; an engine that does not know of them has none. */
export function withFeatures(options: CallOptions, listener: FeatureListener): CallOptions {
  const listened: ListenedOptions = { ...options, [LISTENER]: listener }
  return listened
}

/** Who is to be told the features of a call. */
export function featureListenerOf(options: CallOptions | undefined): FeatureListener | undefined {
  return (options as ListenedOptions | undefined)?.[LISTENER]
}
