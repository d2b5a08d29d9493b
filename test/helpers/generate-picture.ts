import type { ImagePipeline, PictureRequest } from '../../src/images/image-pipeline.ts'
import type { PixelImage } from '../../src/images/picture/pixel-image.ts'
import type { JobContext } from '../../src/jobs/job-context.ts'

export type SeededRequest = PictureRequest & { readonly seed: number }

/** One picture of a pipeline, as a task of one seed makes it. */
export async function generatePicture(
  pipeline: ImagePipeline,
  { seed, ...request }: SeededRequest,
  context: JobContext,
): Promise<PixelImage> {
  const prepared = await pipeline.prepare(request, context)
  return prepared.draw(seed, context)
}
