import type { DrawingContext, ImagePipeline, PictureRequest } from '../../src/images/image-pipeline.ts'
import type { PixelImage } from '../../src/images/picture/pixel-image.ts'

export type SeededRequest = PictureRequest & { readonly seed: number }

/** One picture of a pipeline, as a task of one seed makes it. */
export async function generatePicture(
  pipeline: ImagePipeline,
  { seed, ...request }: SeededRequest,
  context: DrawingContext,
): Promise<PixelImage> {
  const prepared = await pipeline.prepare(request, context)
  return prepared.draw(seed, context)
}
