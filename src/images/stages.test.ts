import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generatePicture } from '../../test/helpers/generate-picture.ts'
import { type ImageBundle, materializeBundle, PROMPTS, readCases } from '../../test/helpers/image-bundle.ts'
import type { Backend } from '../backends/backend.ts'
import { createCpuBackend } from '../backends/cpu.ts'
import { inStages } from '../backends/in-stages.ts'
import { withSessions } from '../backends/with-sessions.ts'
import { openFolder } from '../models/files/model-folder.ts'
import { openImagePipeline } from './index.ts'

const context = { turn: async () => {} }

/** The same backend, and the most bytes that sessions of it held at a time by prediction. */
function watch(backend: Backend) {
  const memory = { open: 0, most: 0, largest: 0, total: 0 }
  const watched = withSessions(backend, {
    async createSession(model) {
      const bytes = model.memory!.floats + model.memory!.rest
      memory.open += bytes
      memory.total += bytes
      memory.most = Math.max(memory.most, memory.open)
      memory.largest = Math.max(memory.largest, bytes)
      const session = await backend.createSession(model)
      return {
        inputNames: session.inputNames,
        outputNames: session.outputNames,
        run: (feeds, outputs) => session.run(feeds, outputs),
        free: (results) => session.free(results),
        dispose: async () => {
          memory.open -= bytes
          await session.dispose()
        },
      }
    },
  })
  return { watched, memory }
}

describe.each(['z-image-turbo', 'klein-distilled'] as const)('%s in stages', (name) => {
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

  it('makes the same pictures, bit for bit, with one part open at a time', async () => {
    const row = readCases(name).find(({ references = [] }) => references.length === 0)!
    const request = { ...row, references: [], prompt: PROMPTS[row.prompt] }
    const files = openFolder(bundle.folder)
    const draw = async (with_: Backend) => {
      const pipeline = await openImagePipeline({ backend: with_, files })
      const picture = await generatePicture(pipeline, request, context)
      await pipeline.dispose()
      return picture
    }
    const whole = watch(backend)
    const expected = await draw(whole.watched)
    expect(whole.memory.most).toBe(whole.memory.total)
    const staged = watch(backend)
    expect(await draw(inStages(staged.watched, 0))).toEqual(expected)
    expect(staged.memory).toMatchObject({ open: 0, most: staged.memory.largest })
    expect(staged.memory.most).toBeLessThan(0.8 * whole.memory.most)
  })
})
