import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Backend } from '../../src/backends/backend.ts'
import type { ImageEditJob, ImageGenerationJob } from '../../src/images/image-jobs.ts'
import { type ImageTask, openImageTask } from '../../src/images/image-task.ts'
import type { PixelImage } from '../../src/images/picture/pixel-image.ts'
import { sharpCodec } from '../../src/images/picture/sharp-codec.ts'
import type { Progress } from '../../src/jobs/job-context.ts'
import { openFolder } from '../../src/models/index.ts'
import { type ImageBundle, type ImageBundleName, materializeBundle } from './image-bundle.ts'

export const IMAGE_JOB: ImageGenerationJob = { prompt: 'a red apple', size: '64x48', seed: 7, n: 1, steps: 2 }
const context = { turn: async () => {}, onProgress: () => {} }

/** As the `image` of a request. */
export async function encodePicture(picture: PixelImage): Promise<string> {
  return Buffer.from(await sharpCodec.encode(picture)).toString('base64')
}

/** A task of a tiny bundle, whose pictures are decoded. */
export interface OpenedImageTask {
  readonly bundle: ImageBundle
  readonly task: ImageTask
  edit(job: ImageEditJob): Promise<PixelImage[]>
  generate(change: Partial<ImageGenerationJob>, onProgress?: (progress: Progress) => void): Promise<PixelImage[]>
  close(): Promise<void>
}

export async function openTinyImageTask(
  backend: Backend,
  name: ImageBundleName,
  native_sizes?: [number, number][],
): Promise<OpenedImageTask> {
  const bundle = await materializeBundle(name)
  if (native_sizes) {
    const file = join(bundle.folder, 'tessera.json')
    const manifest = JSON.parse(await readFile(file, 'utf8')) as object
    await writeFile(file, JSON.stringify({ ...manifest, native_sizes }))
  }
  const task = await openImageTask({ backend, files: openFolder(bundle.folder), codec: sharpCodec })
  const decode = (data: readonly { b64_json: string }[]) =>
    Promise.all(data.map(({ b64_json }) => sharpCodec.decode(Buffer.from(b64_json, 'base64'))))
  return {
    bundle,
    task,
    async generate(change, onProgress = () => {}) {
      return decode((await task.generateImage({ ...IMAGE_JOB, ...change }, { ...context, onProgress })).data)
    },
    async edit(job) {
      return decode((await task.editImage(job, context)).data)
    },
    async close() {
      await task.dispose()
      await bundle.remove()
    },
  }
}
