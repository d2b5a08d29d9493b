import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generatePicture } from '../../test/helpers/generate-picture.ts'
import { type ImageBundle, imageFixture, materializeBundle, PROMPTS } from '../../test/helpers/image-bundle.ts'
import { readTensorBytes } from '../../test/helpers/read-tensor.ts'
import { type Backend, createCpuBackend } from '../backends/index.ts'
import { openFolder } from '../models/model-folder.ts'
import { readSafetensors } from '../models/read-safetensors.ts'
import { openImagePipeline } from './index.ts'

/** A run of a reference pipeline with a scheduler of another class; see generate-image-sampler-fixtures.py. */
interface SamplerCase {
  readonly name: string
  readonly prompt: 'short' | 'long'
  readonly size: readonly [width: number, height: number]
  readonly seed: number
  readonly steps: number
  readonly guidance: number
  readonly scheduler: object
}

/** Sums in another order move a value across a rounding boundary. */
const LEVELS = 2

describe.each(['z-image-turbo', 'klein-distilled', 'klein-base'] as const)('%s draws as its reference does', (name) => {
  let backend: Backend
  let bundle: ImageBundle
  beforeAll(async () => {
    backend = await createCpuBackend({ threads: 1 })
    bundle = await materializeBundle(name)
  })
  afterAll(async () => {
    await backend.dispose()
    await bundle.remove()
  })

  const folder = imageFixture(name)
  const cases = JSON.parse(readFileSync(join(folder, 'samplers.json'), 'utf8')) as SamplerCase[]

  it.each(cases)('with $name', async ({ scheduler, size: [width, height], prompt, name: row, ...request }) => {
    await writeFile(join(bundle.folder, 'scheduler/scheduler_config.json'), JSON.stringify(scheduler))
    const pipeline = await openImagePipeline({ backend, files: openFolder(bundle.folder) })
    const drawing = { ...request, prompt: PROMPTS[prompt], width, height }
    const picture = await generatePicture(pipeline, drawing, { turn: async () => {} })
    await pipeline.dispose()
    const expected = await readSafetensors(join(folder, 'samplers.safetensors'))
    const wanted = new Uint8Array(readTensorBytes(expected, row))
    const differences = picture.data.map((level, i) => Math.abs(level - wanted[i]!))
    expect(Math.max(...differences)).toBeLessThanOrEqual(LEVELS)
  })
})
