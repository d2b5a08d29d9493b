import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONTROL_NETS, materializeControlled, readControlCases } from '../../../test/helpers/control-net.ts'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { generatePicture } from '../../../test/helpers/generate-picture.ts'
import { type ImageBundle, materializeBundle } from '../../../test/helpers/image-bundle.ts'
import { pictureDifference } from '../../../test/helpers/picture-difference.ts'
import { drawPicture } from '../../../test/helpers/pseudo-random.ts'
import { readTensorBytes } from '../../../test/helpers/read-tensor.ts'
import { controlRuns } from '../../../test/helpers/reference-runs.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { readSafetensors } from '../../models/weights/read-safetensors.ts'
import { type ImagePipeline, openImagePipeline } from '../index.ts'

const backend = await cpuBackend()

const context = { turn: async () => {} }
/** Sums in another order move a value across a rounding boundary. */
const LEVELS = 2

describe.each(CONTROL_NETS)('Z-Image with a ControlNet of the form %s draws as the reference pipelines do', (net) => {
  let bundle: ImageBundle
  let pipeline: ImagePipeline
  beforeAll(async () => {
    bundle = await materializeControlled(net)
    pipeline = await openImagePipeline({ backend, files: openFolder(bundle.folder) })
  })
  afterAll(async () => {
    await pipeline.dispose()
    await bundle.remove()
  })
  const cases = controlRuns(net)
  const first = cases[0]!.request

  it.each(cases)('$run.name', async ({ run, request, file, tensor }) => {
    const picture = await generatePicture(pipeline, request, context)
    const wanted = new Uint8Array(readTensorBytes(await readSafetensors(file), tensor))
    expect([picture.width, picture.height]).toEqual(run.size)
    expect(pictureDifference(picture.data, wanted).most).toBeLessThanOrEqual(LEVELS)
  })

  it('draws without a control what the pipeline without a ControlNet draws', async () => {
    const { control, ...request } = first
    await using other = await materializeBundle(readControlCases(net).bundle)
    const alone = await openImagePipeline({ backend, files: openFolder(other.folder) })
    try {
      const wanted = await generatePicture(alone, request, context)
      const { data } = await generatePicture(pipeline, request, context)
      expect(pictureDifference(data, wanted.data).most).toBeLessThanOrEqual(1)
      const changed = await generatePicture(pipeline, first, context)
      expect(changed.data).not.toEqual(data)
      const unheard = { ...control!, scale: 0 }
      expect(await generatePicture(pipeline, { ...request, control: unheard }, context)).toEqual({ ...wanted, data })
    } finally {
      await alone.dispose()
    }
  })

  it.each([-0.1, 2.1, Number.NaN])('refuses the scale %d', async (scale) => {
    const control = { ...first.control!, scale }
    await expect(generatePicture(pipeline, { ...first, control }, context)).rejects.toMatchObject({
      code: 'invalid_request',
      path: 'control.scale',
    })
  })
})

it.each(['z-image-turbo', 'klein-distilled'] as const)('%s has no ControlNet, and says so', async (name) => {
  await using bundle = await materializeBundle(name)
  const pipeline = await openImagePipeline({ backend, files: openFolder(bundle.folder) })
  const control = { picture: drawPicture('edges', 64, 64, 3), scale: 1 }
  await expect(
    generatePicture(pipeline, { prompt: 'x', seed: 1, width: 64, height: 64, control }, context),
  ).rejects.toMatchObject({ code: 'invalid_request', path: 'control', message: expect.stringContaining('ControlNet') })
  await pipeline.dispose()
})

it('refuses strength beside mask and control where the ControlNet sees the source', async () => {
  await using bundle = await materializeControlled('refined')
  const pipeline = await openImagePipeline({ backend, files: openFolder(bundle.folder) })
  const masked = controlRuns('refined').find(({ request }) => request.mask)!.request
  await expect(generatePicture(pipeline, { ...masked, strength: 0.5 }, context)).rejects.toMatchObject({
    code: 'invalid_request',
    path: 'strength',
  })
  await pipeline.dispose()
})
