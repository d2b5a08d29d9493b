import type { JobContext } from '../../jobs/job-context.ts'
import type { DrawingContext } from '../image-pipeline.ts'
import type { PixelImage } from '../picture/pixel-image.ts'
import type { Denoising } from '../sampling/denoise.ts'
import type { Grid } from '../sampling/positions.ts'

/** Makes a preview of clean latents, given as tokens of a grid. */
export type DrawPreview = (tokens: Float32Array, grid: Grid, context: JobContext) => Promise<PixelImage>

/** What shows latents as pictures while they are denoised. */
export interface Previewer {
  /** Bytes that a preview of a picture of so many pixels takes; absent where they are few. */
  workingMemory?(pixels: number): number
  /** Prepares for the previews of a request. @throws AbortedError, after which the next call begins anew */
  open(context: JobContext): Promise<DrawPreview>
}

/** What denoising tells its clean latents to, as previews for whoever watches the drawing. */
export function watchDrawing(draw: DrawPreview, grid: Grid, drawing: DrawingContext): Denoising['onClean'] {
  return async (clean, at) => drawing.onLook?.(await draw(clean, grid, drawing), at)
}
