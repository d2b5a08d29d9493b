import type { JobKind } from '../jobs.ts'

/** Names of models that the specification gives to its jobs. */
export type ModelName = 'decide-latest' | 'alpha-image-turbo' | 'beta-klein-4b'

/** Names of the specification: the model that does a job whose request names none, or one of a compatible service. */
export const DEFAULT_MODELS: Readonly<Record<JobKind, ModelName>> = {
  decide: 'decide-latest',
  countTokens: 'decide-latest',
  generateImage: 'alpha-image-turbo',
  editImage: 'beta-klein-4b',
}
