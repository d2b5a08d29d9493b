import type { ModelFiles } from './files/model-files.ts'

/** Whether these are the files of an image pipeline, as diffusers saves one. All other models make decisions. */
export async function isImageBundle(files: ModelFiles): Promise<boolean> {
  return (await files.readText('model_index.json')) !== undefined
}
