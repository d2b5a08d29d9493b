export { type ImageEditJob, type ImageGenerationJob } from './image-jobs.ts'
export {
  type ImageContext, type ImagePipeline, type ImageProgress, type ImageRequest,
} from './image-pipeline.ts'
export { type ImageTask, type ImageTaskContext, openImageTask } from './image-task.ts'
export { openImagePipeline } from './open-image-pipeline.ts'
export { type PictureCodec } from './picture/picture-codec.ts'
export { type PixelImage } from './picture/pixel-image.ts'
