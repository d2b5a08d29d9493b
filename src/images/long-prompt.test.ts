import { expect, it } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { materializeBundle } from '../../test/helpers/image-bundle.ts'
import { drawPicture } from '../../test/helpers/pseudo-random.ts'
import { withSessions } from '../backends/with-sessions.ts'
import { openFolder } from '../models/index.ts'
import { openImagePipeline } from './index.ts'

const backend = await cpuBackend()

const LONG = 'word '.repeat(600)

it.each([
  ['klein-distilled', 'prompt', { prompt: LONG }],
  ['klein-base', 'negativePrompt', { prompt: 'x', negativePrompt: LONG, guidance: 3 }],
  ['z-image-turbo', 'prompt', { prompt: LONG }],
  ['z-image-base', 'negativePrompt', { prompt: 'x', negativePrompt: LONG, guidance: 3 }],
] as const)('%s refuses a %s that is too long before it looks at a source', async (name, path, request) => {
  await using bundle = await materializeBundle(name)
  let runs = 0
  const counting = withSessions(backend, {
    async createSession(model) {
      const session = await backend.createSession(model)
      const run: typeof session.run = (feeds, outputs) => {
        runs++
        return session.run(feeds, outputs)
      }
      return { ...session, run, dispose: () => session.dispose() }
    },
  })
  const pipeline = await openImagePipeline({ backend: counting, files: openFolder(bundle.folder) })
  const references = [drawPicture('long-prompt', 64, 64, 3)]
  const context = { turn: async () => {} }
  await expect(pipeline.prepare({ ...request, references, previews: true }, context)).rejects.toMatchObject({ path })
  expect(runs).toBe(0)
  await pipeline.prepare({ prompt: 'x', references, previews: true }, context)
  expect(runs).toBeGreaterThan(0)
  await pipeline.dispose()
})
