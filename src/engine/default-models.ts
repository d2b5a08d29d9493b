import type { JobKind } from './jobs.ts'

/** Names of the specification: the model that does a job whose request names none, or one of a compatible service. */
export const DEFAULT_MODELS: Readonly<Record<JobKind, string>> = {
  decide: 'decide-latest',
  countTokens: 'decide-latest',
  generateImage: 'alpha-image-turbo',
  editImage: 'beta-klein-4b',
}
