/**
 * Folders of a pipeline in diffusers layout that have weights, and whether these are quantised: an autoencoder is made of
 * convolutions, which stay as they are.
 */
export const PIPELINE_PARTS = [
  { folder: 'text_encoder', quantised: true },
  { folder: 'transformer', quantised: true },
  { folder: 'vae', quantised: false },
] as const

export type PipelinePart = (typeof PIPELINE_PARTS)[number]['folder']
