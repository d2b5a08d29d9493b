import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  CONTROL_NETS,
  type ControlCase,
  type ControlNetName,
  materializeControlled,
  readControlCases,
} from '../../../test/helpers/control-net.ts'
import { drawMask } from '../../../test/helpers/draw-mask.ts'
import { generatePicture, type SeededRequest } from '../../../test/helpers/generate-picture.ts'
import { type ImageBundle, materializeBundle, PROMPTS } from '../../../test/helpers/image-bundle.ts'
import { drawPicture } from '../../../test/helpers/pseudo-random.ts'
import { readTensorBytes } from '../../../test/helpers/read-tensor.ts'
import { type Backend, createCpuBackend } from '../../backends/index.ts'
import { openFolder } from '../../models/model-folder.ts'
import { type ImagePipeline, openImagePipeline } from '../index.ts'

const context = { turn: async () => {} }
/** Sums in another order move a value across a rounding boundary. */
const LEVELS = 2

function toRequest(net: ControlNetName, { name, prompt, size, control, scale, mask, ...rest }: ControlCase) {
  const seed = `controlnets/${net}/${name}`
  const [width, height] = size
  return {
    ...rest,
    ...(mask === undefined ? { width, height } : { references: [drawPicture(`${seed}/source`, ...size, 3)] }),
    ...(mask && { mask: drawMask(...size, mask) }),
    prompt: PROMPTS[prompt],
    control: { picture: drawPicture(seed, ...control, 3), scale },
  } satisfies SeededRequest
}

describe.each(CONTROL_NETS)('Z-Image with a ControlNet of the form %s draws as the reference pipelines do', (net) => {
  let backend: Backend
  let bundle: ImageBundle
  let pipeline: ImagePipeline
  beforeAll(async () => {
    backend = await createCpuBackend({ threads: 1 })
    bundle = await materializeControlled(net)
    pipeline = await openImagePipeline({ backend, files: openFolder(bundle.folder) })
  })
  afterAll(async () => {
    await pipeline.dispose()
    await backend.dispose()
    await bundle.remove()
  })
  const { cases, bundle: plain } = readControlCases(net)
  const [first] = cases

  it.each(cases)('$name', async (row) => {
    const picture = await generatePicture(pipeline, toRequest(net, row), context)
    const wanted = new Uint8Array(readTensorBytes(bundle.expected, `picture.${row.name}`))
    expect([picture.width, picture.height]).toEqual(row.size)
    const differences = picture.data.map((level, i) => Math.abs(level - wanted[i]!))
    expect(Math.max(...differences)).toBeLessThanOrEqual(LEVELS)
  })

  it('draws without a control what the pipeline without a ControlNet draws', async () => {
    const { control: _, ...request } = toRequest(net, first!)
    const other = await materializeBundle(plain)
    const alone = await openImagePipeline({ backend, files: openFolder(other.folder) })
    try {
      const wanted = await generatePicture(alone, request, context)
      const { data } = await generatePicture(pipeline, request, context)
      expect(Math.max(...data.map((level, i) => Math.abs(level - wanted.data[i]!)))).toBeLessThanOrEqual(1)
      const changed = await generatePicture(pipeline, toRequest(net, first!), context)
      expect(changed.data).not.toEqual(data)
      const unheard = { ...toRequest(net, first!).control, scale: 0 }
      expect(await generatePicture(pipeline, { ...request, control: unheard }, context)).toEqual({ ...wanted, data })
    } finally {
      await alone.dispose()
      await other.remove()
    }
  })

  it.each([-0.1, 2.1, Number.NaN])('refuses the scale %d', async (scale) => {
    const request = toRequest(net, first!)
    const control = { ...request.control, scale }
    await expect(generatePicture(pipeline, { ...request, control }, context)).rejects.toMatchObject({
      code: 'invalid_request',
      path: 'control.scale',
    })
  })
})

it.each(['z-image-turbo', 'klein-distilled'] as const)('%s has no ControlNet, and says so', async (name) => {
  const backend = await createCpuBackend({ threads: 1 })
  const bundle = await materializeBundle(name)
  const pipeline = await openImagePipeline({ backend, files: openFolder(bundle.folder) })
  const control = { picture: drawPicture('edges', 64, 64, 3), scale: 1 }
  await expect(
    generatePicture(pipeline, { prompt: 'x', seed: 1, width: 64, height: 64, control }, context),
  ).rejects.toMatchObject({ code: 'invalid_request', path: 'control', message: expect.stringContaining('ControlNet') })
  await pipeline.dispose()
  await backend.dispose()
  await bundle.remove()
})

it('refuses strength beside mask and control where the ControlNet sees the source', async () => {
  const backend = await createCpuBackend({ threads: 1 })
  const bundle = await materializeControlled('refined')
  const pipeline = await openImagePipeline({ backend, files: openFolder(bundle.folder) })
  const masked = toRequest(
    'refined',
    readControlCases('refined').cases.find(({ mask }) => mask !== undefined)!,
  )
  await expect(generatePicture(pipeline, { ...masked, strength: 0.5 }, context)).rejects.toMatchObject({
    code: 'invalid_request',
    path: 'strength',
  })
  await pipeline.dispose()
  await backend.dispose()
  await bundle.remove()
})
