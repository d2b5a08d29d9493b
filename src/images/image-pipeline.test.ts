import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { generatePicture, type SeededRequest } from '../../test/helpers/generate-picture.ts'
import {
  IMAGE_BUNDLES,
  materializeBundle,
  PROMPTS,
  readCases,
  type ImageBundle,
  type PictureCase,
} from '../../test/helpers/image-bundle.ts'
import { pictureDifference } from '../../test/helpers/picture-difference.ts'
import { drawPicture } from '../../test/helpers/pseudo-random.ts'
import { readTensorBytes } from '../../test/helpers/read-tensor.ts'
import { ATTENTION_FORMS, withAttention } from '../../test/helpers/with-attention.ts'
import { openFolder } from '../models/files/model-folder.ts'
import { openImagePipeline, type ImagePipeline } from './index.ts'

const backend = await cpuBackend()

const context = { turn: async () => {} }

/** Largest difference that counts as rounding: sums in another order move a value across a rounding boundary. */
const LEVELS = 2

const CASES = IMAGE_BUNDLES.flatMap((name) => ATTENTION_FORMS.map((attention) => [name, attention] as const))

describe.each(CASES)('%s with %s attention makes the pictures of the reference pipeline', (name, attention) => {
  let bundle: ImageBundle
  let pipeline: ImagePipeline
  beforeAll(async () => {
    bundle = await materializeBundle(name)
    pipeline = await openImagePipeline({ backend: withAttention(backend, attention), files: openFolder(bundle.folder) })
  })
  afterAll(async () => {
    await pipeline.dispose()
    await bundle.remove()
  })

  function toRequest({ name: run, references = [], prompt, ...rest }: PictureCase): SeededRequest {
    return {
      ...rest,
      prompt: PROMPTS[prompt],
      references: references.map((size, r) => drawPicture(`${name}/${run}/${r}`, ...size)),
    }
  }

  it.each(readCases(name))('$name', async (row) => {
    const picture = await generatePicture(pipeline, toRequest(row), context)
    const wanted = new Uint8Array(readTensorBytes(bundle.expected, `picture.${row.name}`))
    const [height, width] = bundle.expected.get(`picture.${row.name}`)!.shape
    expect([picture.width, picture.height, picture.channels]).toEqual([width, height, 3])
    expect(pictureDifference(picture.data, wanted).most).toBeLessThanOrEqual(LEVELS)
  })
})
