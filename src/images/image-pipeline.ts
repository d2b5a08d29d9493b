import type { JobContext } from '../jobs/job-context.ts'
import type { PixelImage } from './picture/pixel-image.ts'
import type { SourceEdit } from './picture/source-edit.ts'

/** What pictures to make: all of a request but the seed, in which they differ. */
export interface PictureRequest {
  readonly prompt: string
  /**
   * Sides in pixels, multiples of the pipeline's `sizeStep`. @defaultValue those of the first reference as the model
   * sees it, or the size that the reference pipeline makes by default
   */
  readonly width?: number
  readonly height?: number
  /** @defaultValue what the checkpoint was made for */
  readonly steps?: number
  /**
   * Strength of classifier-free guidance; it costs a second forward per step. Step-distilled FLUX.2 models ignore it,
   * as the reference does. @defaultValue what the checkpoint was made for
   */
  readonly guidance?: number
  /** What guidance leads away from. @defaultValue the empty prompt */
  readonly negativePrompt?: string
  /** Pictures to edit or to take parts from, the main one first. */
  readonly references?: readonly PixelImage[]
  /**
   * Share of the steps that are taken from the main picture, above 0 to 1: the less, the less noise is put on it and the
   * more of it stays. @defaultValue FLUX.2 begins with noise alone and sees the picture as a reference, with a mask 0.8;
   * Z-Image 0.6, with a mask 1
   */
  readonly strength?: number
  /**
   * What may change of the main picture, in grey levels and of its size: white changes, black stays, grey changes by so
   * much. With it denoising begins with the picture.
   */
  readonly mask?: PixelImage
  /** A picture whose edges, depth or pose the result follows, as the model's ControlNet was trained, and how closely, from 0 to 2. */
  readonly control?: { readonly picture: PixelImage; readonly scale: number }
  /** Whether drawing will be watched. @defaultValue false */
  readonly previews?: boolean
}

/** Which pictures a request has. */
export interface GivenPictures {
  readonly references: number
  readonly isControlled: boolean
}

/** What a checkpoint was made for. */
export interface SamplingDefaults {
  readonly steps: number
  readonly guidance: number
}

/** What a picture is drawn with. */
export interface DrawingContext extends JobContext {
  /** Shown what the picture seems to become, for requests with `previews`. */
  onLook?(picture: PixelImage, at: { readonly step: number; readonly steps: number }): Promise<void>
}

/** An RGB picture. */
export interface DrawnPicture extends PixelImage {
  /** What was done to the main reference, for models whose edits keep the rest of it. Absent where the request has a mask. */
  readonly edit?: SourceEdit
}

/** A request whose prompt and references have been read. */
export interface PreparedPictures {
  /** Steps and runs of the latent decoder that one picture takes, as its progress counts them. */
  readonly steps: number
  readonly runs: number
  /** Makes the RGB picture of a seed, a whole number; the same seed gives the same noise on every backend. */
  draw(seed: number, context: DrawingContext): Promise<DrawnPicture>
}

export interface ImagePipeline {
  /** Sides of a picture are multiples of this many pixels. */
  readonly sizeStep: number
  /** Bytes that a picture of so many pixels takes at the most beside the weights: encoding one of that size, steps with previews of them, or decoding. */
  workingMemory(pixels: number): number
  /** The same where one part is open at a time. @defaultValue that with all of them open */
  stageMemory?(pixels: number): number
  /**
   * Asked before pictures are decoded, which may take seconds.
   *
   * @throws InvalidRequestError for a control that no model of this kind follows, or more references than it sees
   */
  requirePictures(given: GivenPictures): void
  /**
   * Reads prompt and references, once for any number of pictures.
   *
   * @throws InvalidRequestError for a size, prompt or reference that the model can't take
   */
  prepare(request: PictureRequest, context: JobContext): Promise<PreparedPictures>
  /** Frees the sessions. Safe to call twice. */
  dispose(): Promise<void>
}
