import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { generatePicture, type SeededRequest } from '../../test/helpers/generate-picture.ts'
import { IMAGE_BUNDLES, type ImageBundle, materializeBundle } from '../../test/helpers/image-bundle.ts'
import { pictureDifference } from '../../test/helpers/picture-difference.ts'
import { readTensorBytes } from '../../test/helpers/read-tensor.ts'
import { startRuns } from '../../test/helpers/reference-runs.ts'
import { openFolder } from '../models/files/model-folder.ts'
import { readSafetensors } from '../models/weights/read-safetensors.ts'
import { type ImagePipeline, openImagePipeline } from './index.ts'

const backend = await cpuBackend()

const context = { turn: async () => {} }
/** Sums in another order move a value across a rounding boundary. */
const LEVELS = 2

describe.each(IMAGE_BUNDLES)('%s begins with a picture as the reference pipelines do', (bundleName) => {
  let bundle: ImageBundle
  let pipeline: ImagePipeline
  beforeAll(async () => {
    bundle = await materializeBundle(bundleName)
    pipeline = await openImagePipeline({ backend, files: openFolder(bundle.folder) })
  })
  afterAll(async () => {
    await pipeline.dispose()
    await bundle.remove()
  })

  const cases = startRuns(bundleName)
  it.each(cases)('$run.name', async ({ run, request, file, tensor }) => {
    const picture = await generatePicture(pipeline, request, context)
    const wanted = new Uint8Array(readTensorBytes(await readSafetensors(file), tensor))
    expect([picture.width, picture.height]).toEqual(run.size)
    expect(pictureDifference(picture.data, wanted).most).toBeLessThanOrEqual(LEVELS)
  })

  const { request, run } = cases[0]!
  const change = (fields: Partial<SeededRequest>) => generatePicture(pipeline, { ...request, ...fields }, context)

  it('counts the steps that are taken', async () => {
    const done: number[] = []
    const { steps, strength } = run
    await generatePicture(pipeline, request, {
      ...context,
      onProgress: ({ stage, done: count, total }) => stage === 'denoising' && count === total && done.push(total),
    })
    expect(done).toEqual([steps - Math.trunc(steps - steps * strength!)])
  })

  it.each([0, -1, 1.1, Number.NaN])('refuses the strength %d', async (strength) => {
    await expect(change({ strength })).rejects.toMatchObject({ code: 'invalid_request', path: 'strength' })
  })

  it('refuses a size beside that of the picture, and a negative prompt that nothing leads away from', async () => {
    await expect(change({ width: 16, height: 16 })).rejects.toMatchObject({ path: 'size' })
    await expect(change({ guidance: 0, negativePrompt: 'x' })).rejects.toMatchObject({ path: 'negativePrompt' })
  })
})
