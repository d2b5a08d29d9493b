import { rm } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { generatePicture } from '../../test/helpers/generate-picture.ts'
import { materializeBundle, PROMPTS, type ImageBundleName } from '../../test/helpers/image-bundle.ts'
import { pictureDifference } from '../../test/helpers/picture-difference.ts'
import { drawPicture } from '../../test/helpers/pseudo-random.ts'
import { openFolder } from '../models/files/model-folder.ts'
import { quantizeCheckpoint } from '../models/quantize/quantize-checkpoint.ts'
import { openImagePipeline } from './index.ts'

const context = { turn: async () => {} }

const backend = await cpuBackend()

async function makePicture(folder: string, edits: boolean): Promise<Uint8Array> {
  const pipeline = await openImagePipeline({ backend, files: openFolder(folder) })
  const references = edits ? [drawPicture('quantized', 64, 64, 3)] : []
  const request = { prompt: PROMPTS.short, width: 64, height: 64, seed: 1, steps: 2, guidance: 0, references }
  const { data } = await generatePicture(pipeline, request, context)
  await pipeline.dispose()
  return data
}

/** Noise alone would be about 80 levels off. */
it.each<[ImageBundleName, boolean, 32 | 'row']>([
  ['z-image-base', false, 32],
  ['z-image-base', false, 'row'],
  ['klein-distilled', true, 32],
  ['klein-distilled', true, 'row'],
])('makes nearly the same picture with %s in 8 bits, edits %s, blocks of %s', async (name, edits, blockSize) => {
  await using bundle = await materializeBundle(name)
  const float = await makePicture(bundle.folder, edits)
  const out = `${bundle.folder}-8`
  const progress: number[] = []
  await quantizeCheckpoint({
    folder: bundle.folder,
    out,
    bits: 8,
    blockSize,
    onProgress: ({ done, total }) => progress.push(done / total),
  })
  expect(progress.at(-1)).toBe(1)
  expect(progress).toEqual(progress.toSorted((a, b) => a - b))
  const quantized = await makePicture(out, edits)
  await rm(out, { recursive: true })
  const difference = pictureDifference(quantized, float).mean
  expect(difference).toBeGreaterThan(0)
  expect(difference).toBeLessThan(3)
})
