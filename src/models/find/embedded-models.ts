/** Model names of the specification and the embedded model that serves each unless another is configured. */
export const EMBEDDED_MODELS: Readonly<Record<string, string>> = {
  'decide-latest': 'decide-mini',
  'alpha-image-turbo': 'image-mini',
  'beta-klein-4b': 'image-mini',
}
