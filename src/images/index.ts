export { type ImageEditJob, type ImageGenerationJob } from './image-jobs.ts'
export { type ImagePipeline } from './image-pipeline.ts'
export { openImagePipeline } from './open-image-pipeline.ts'
export { type PixelImage } from './picture/pixel-image.ts'
