import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drawMask } from '../../test/helpers/draw-mask.ts'
import { generatePicture, type SeededRequest } from '../../test/helpers/generate-picture.ts'
import {
  IMAGE_BUNDLES,
  type ImageBundle,
  imageFixture,
  materializeBundle,
  PROMPTS,
} from '../../test/helpers/image-bundle.ts'
import { drawPicture } from '../../test/helpers/pseudo-random.ts'
import { readTensorBytes } from '../../test/helpers/read-tensor.ts'
import { type Backend, createCpuBackend } from '../backends/index.ts'
import { openFolder } from '../models/model-folder.ts'
import { readSafetensors } from '../models/read-safetensors.ts'
import { type ImagePipeline, openImagePipeline } from './index.ts'

/** A run of a reference pipeline that changes a picture; see generate-image-start-fixtures.py. */
interface StartCase {
  readonly name: string
  readonly prompt: 'short' | 'long'
  readonly size: readonly [width: number, height: number]
  readonly seed: number
  readonly steps: number
  readonly guidance: number
  readonly strength: number
  readonly negative?: string
  readonly mask?: readonly [left: number, top: number, right: number, bottom: number]
}

const context = { turn: async () => {} }
/** Sums in another order move a value across a rounding boundary. */
const LEVELS = 2

describe.each(IMAGE_BUNDLES)('%s begins with a picture as the reference pipelines do', (bundleName) => {
  let backend: Backend
  let bundle: ImageBundle
  let pipeline: ImagePipeline
  beforeAll(async () => {
    backend = await createCpuBackend({ threads: 1 })
    bundle = await materializeBundle(bundleName)
    pipeline = await openImagePipeline({ backend, files: openFolder(bundle.folder) })
  })
  afterAll(async () => {
    await pipeline.dispose()
    await backend.dispose()
    await bundle.remove()
  })

  const folder = imageFixture(bundleName)
  const cases = JSON.parse(readFileSync(join(folder, 'starts.json'), 'utf8')) as StartCase[]

  function toRequest({ name, prompt, size, mask, negative, ...rest }: StartCase): SeededRequest {
    return {
      ...rest,
      prompt: PROMPTS[prompt],
      references: [drawPicture(`${bundleName}/${name}`, ...size, 3)],
      ...(mask && { mask: drawMask(...size, mask) }),
      ...(negative !== undefined && { negativePrompt: negative }),
    }
  }

  it.each(cases)('$name', async (row) => {
    const picture = await generatePicture(pipeline, toRequest(row), context)
    const expected = await readSafetensors(join(folder, 'starts.safetensors'))
    const wanted = new Uint8Array(readTensorBytes(expected, row.name))
    expect([picture.width, picture.height]).toEqual(row.size)
    const differences = picture.data.map((level, i) => Math.abs(level - wanted[i]!))
    expect(Math.max(...differences)).toBeLessThanOrEqual(LEVELS)
  })

  const [first] = cases
  const change = (fields: Partial<SeededRequest>) =>
    generatePicture(pipeline, { ...toRequest(first!), ...fields }, context)

  it('counts the steps that are taken', async () => {
    const done: number[] = []
    const { steps, strength } = first!
    await generatePicture(pipeline, toRequest(first!), {
      ...context,
      onProgress: ({ stage, done: count, total }) => stage === 'denoising' && count === total && done.push(total),
    })
    expect(done).toEqual([steps - Math.trunc(steps - steps * strength)])
  })

  it.each([0, -1, 1.1, Number.NaN])('refuses the strength %d', async (strength) => {
    await expect(change({ strength })).rejects.toMatchObject({ code: 'invalid_request', path: 'strength' })
  })

  it('refuses a size beside that of the picture, and a negative prompt that nothing leads away from', async () => {
    await expect(change({ width: 16, height: 16 })).rejects.toMatchObject({ path: 'size' })
    await expect(change({ guidance: 0, negativePrompt: 'x' })).rejects.toMatchObject({ path: 'negative_prompt' })
  })
})
