import type { ImageEditRequest, ImageGenerationRequest } from '../schemas/index.ts'

/** How pictures of a request are sampled, beside what its body says. */
interface Sampling {
  /** Whole number; image k of the request is drawn from `seed + k`. */
  readonly seed: number
  readonly steps?: number
  readonly guidance?: number
  readonly negativePrompt?: string
  /** A picture to follow. */
  readonly control?: { readonly image: string | Uint8Array; readonly scale: number }
}

/** A validated generation request with everything that decides about its pictures. */
export type ImageGenerationJob = ImageGenerationRequest & Sampling

/** A validated edit request with everything that decides about its pictures. */
export type ImageEditJob = ImageEditRequest & Sampling & { readonly strength?: number }
