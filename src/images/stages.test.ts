import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { generatePicture } from '../../test/helpers/generate-picture.ts'
import {
  type ImageBundle,
  materializeBundle,
  type PictureCase,
  PROMPTS,
  readCases,
} from '../../test/helpers/image-bundle.ts'
import { drawPicture } from '../../test/helpers/pseudo-random.ts'
import type { Backend, Feeds } from '../backends/backend.ts'
import { inStages } from '../backends/in-stages.ts'
import { withSessions } from '../backends/with-sessions.ts'
import { openFolder } from '../models/files/model-folder.ts'
import { openImagePipeline } from './index.ts'

const backend = await cpuBackend()

const context = { turn: async () => {} }

/** The same backend, the most bytes that sessions of it held at a time by prediction, and what encoding a picture found open. */
function watch(backend: Backend) {
  const memory = { open: 0, most: 0, largest: 0, total: 0 }
  const encoded: { readonly pixels: number; readonly open: number }[] = []
  const watched = withSessions(backend, {
    async createSession(model) {
      const bytes = model.memory!.floats + model.memory!.rest
      memory.open += bytes
      memory.total += bytes
      memory.most = Math.max(memory.most, memory.open)
      memory.largest = Math.max(memory.largest, bytes)
      const session = await backend.createSession(model)
      return {
        ...session,
        run(feeds, outputs) {
          if (feeds['image']) encoded.push({ pixels: countPixels(feeds['image']), open: memory.open })
          return session.run(feeds, outputs)
        },
        dispose: async () => {
          memory.open -= bytes
          await session.dispose()
        },
      }
    },
  })
  return { watched, memory, encoded }
}

function countPixels({ dims }: Feeds[string]): number {
  return dims.slice(-2).reduce((product, side) => product * side, 1)
}

async function draw(backend: Backend, { folder }: ImageBundle, { references = [], prompt, ...row }: PictureCase) {
  const pipeline = await openImagePipeline({ backend, files: openFolder(folder) })
  const pictures = references.map((size, index) => drawPicture(`${row.name}/${index}`, ...size))
  const picture = await generatePicture(pipeline, { ...row, references: pictures, prompt: PROMPTS[prompt] }, context)
  await pipeline.dispose()
  return picture
}

describe.each(['z-image-turbo', 'klein-distilled'] as const)('%s in stages', (name) => {
  let bundle: ImageBundle
  beforeAll(async () => {
    bundle = await materializeBundle(name)
  })
  afterAll(() => bundle.remove())

  it('makes the same pictures, bit for bit, with one part open at a time', async () => {
    const row = readCases(name).find(({ references = [] }) => references.length === 0)!
    const whole = watch(backend)
    const expected = await draw(whole.watched, bundle, row)
    expect(whole.memory.most).toBe(whole.memory.total)
    const staged = watch(backend)
    expect(await draw(inStages(staged.watched, 0), bundle, row)).toEqual(expected)
    expect(staged.memory).toMatchObject({ open: 0, most: staged.memory.largest })
    expect(staged.memory.most).toBeLessThan(0.8 * whole.memory.most)
  })
})

describe('klein-distilled with a source', () => {
  let bundle: ImageBundle
  let bytesPerPixel: number
  beforeAll(async () => {
    bundle = await materializeBundle('klein-distilled')
    const config = await readFile(join(bundle.folder, 'vae', 'config.json'), 'utf8')
    const { block_out_channels: levels } = JSON.parse(config) as { readonly block_out_channels: readonly [number] }
    // Three values of the first level, in float32.
    bytesPerPixel = 3 * levels[0] * 4
  })
  afterAll(() => bundle.remove())

  it('closes parts for what encoding it holds', async () => {
    const row = readCases('klein-distilled').find(({ references = [] }) => references.length === 1)!
    const whole = watch(backend)
    const expected = await draw(whole.watched, bundle, row)
    const held = bytesPerPixel * whole.encoded[0]!.pixels
    const limit = whole.memory.total + held / 2
    const staged = watch(backend)
    expect(await draw(inStages(staged.watched, limit, true), bundle, row)).toEqual(expected)
    expect(staged.memory.most).toBe(whole.memory.total)
    expect(staged.encoded[0]!.open + held).toBeLessThanOrEqual(limit)
  })

  it('counts encoding it as memory that a picture takes', async () => {
    const pipeline = await openImagePipeline({ backend, files: openFolder(bundle.folder) })
    const [working, least] = [pipeline.workingMemory(4096), pipeline.stageMemory!(4096)]
    expect(working - least).toBe(4096 * bytesPerPixel)
    await pipeline.dispose()
  })
})
