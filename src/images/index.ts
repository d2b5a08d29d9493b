export { type ImageEditJob, type ImageGenerationJob } from './image-jobs.ts'
export {
  type ImageContext, type ImagePipeline, type ImageProgress, type ImageRequest,
} from './image-pipeline.ts'
export { openImagePipeline } from './open-image-pipeline.ts'
export { type PixelImage } from './pixel-image.ts'
