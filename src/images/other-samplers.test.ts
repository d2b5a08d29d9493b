import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { generatePicture } from '../../test/helpers/generate-picture.ts'
import { type ImageBundle, materializeBundle } from '../../test/helpers/image-bundle.ts'
import { pictureDifference } from '../../test/helpers/picture-difference.ts'
import { readTensorBytes } from '../../test/helpers/read-tensor.ts'
import { samplerRuns, useScheduler } from '../../test/helpers/reference-runs.ts'
import { openFolder } from '../models/files/model-folder.ts'
import { readSafetensors } from '../models/weights/read-safetensors.ts'
import { openImagePipeline } from './index.ts'

const backend = await cpuBackend()

/** Sums in another order move a value across a rounding boundary. */
const LEVELS = 2

describe.each(['z-image-turbo', 'klein-distilled', 'klein-base'] as const)('%s draws as its reference does', (name) => {
  let bundle: ImageBundle
  beforeAll(async () => {
    bundle = await materializeBundle(name)
  })
  afterAll(() => bundle.remove())

  it.each(samplerRuns(name))('with $run.name', async ({ run, request, file, tensor }) => {
    await useScheduler(bundle, run)
    const pipeline = await openImagePipeline({ backend, files: openFolder(bundle.folder) })
    const picture = await generatePicture(pipeline, request, { turn: async () => {} })
    await pipeline.dispose()
    const wanted = new Uint8Array(readTensorBytes(await readSafetensors(file), tensor))
    expect(pictureDifference(picture.data, wanted).most).toBeLessThanOrEqual(LEVELS)
  })
})
