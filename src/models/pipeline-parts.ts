/**
 * Folders of a pipeline in diffusers layout that have weights, and whether these are quantised: an autoencoder is made of
 * convolutions, which stay as they are.
 */
export const PIPELINE_PARTS = [
  { folder: 'text_encoder', quantised: true },
  { folder: 'transformer', quantised: true },
  { folder: 'vae', quantised: false },
] as const

/** Folder of a small decoder that a pipeline may have beside its parts, for previews. */
export const PREVIEW_DECODER = 'preview_decoder'

/** Folder of a ControlNet that a pipeline may have beside its parts. */
export const CONTROLNET = { folder: 'controlnet', quantised: true } as const

/** All folders of a pipeline that may have weights. */
export const PART_FOLDERS: readonly string[] = [
  ...PIPELINE_PARTS.map(({ folder }) => folder),
  CONTROLNET.folder,
  PREVIEW_DECODER,
]

export type PipelinePart = (typeof PIPELINE_PARTS)[number]['folder'] | typeof CONTROLNET.folder
