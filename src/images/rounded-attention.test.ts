import { rm } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { generatePicture } from '../../test/helpers/generate-picture.ts'
import { type ImageBundleName, materializeBundle, PROMPTS } from '../../test/helpers/image-bundle.ts'
import { pictureDifference } from '../../test/helpers/picture-difference.ts'
import { withInt8 } from '../../test/helpers/with-int8.ts'
import { withSessions } from '../backends/with-sessions.ts'
import { openFolder } from '../models/files/model-folder.ts'
import { quantizeCheckpoint } from '../models/quantize/quantize-checkpoint.ts'
import { openImagePipeline } from './index.ts'

const cpu = await cpuBackend()

/** A picture, and how many graphs it took have attention in integers. */
async function draw(folder: string, fastInt8: boolean) {
  let rounded = 0
  const counting = withSessions(cpu, {
    createSession: (graph) => {
      if (Buffer.from(graph.bytes).includes('MatMulIntegerToFloat')) rounded++
      return cpu.createSession(graph)
    },
  })
  const pipeline = await openImagePipeline({ backend: withInt8(counting, fastInt8), files: openFolder(folder) })
  const request = { prompt: PROMPTS.short, width: 64, height: 64, seed: 1, steps: 2, guidance: 0 }
  const { data } = await generatePicture(pipeline, request, { turn: async () => {} })
  await pipeline.dispose()
  return { data, rounded }
}

it.each<[ImageBundleName, number]>([
  ['z-image-base', 2],
  ['klein-distilled', 1],
])(
  'attention of %s in whole rows is in integers where these are fast, and the picture nearly the same',
  async (name, graphs) => {
    const bundle = await materializeBundle(name)
    const out = `${bundle.folder}-rows`
    await quantizeCheckpoint({ folder: bundle.folder, out, bits: 8, blockSize: 'row' })
    const [slow, fast, floats] = [await draw(out, false), await draw(out, true), await draw(bundle.folder, true)]
    await rm(out, { recursive: true })
    await bundle.remove()
    expect([slow.rounded, fast.rounded, floats.rounded]).toEqual([0, graphs, 0])
    const { mean } = pictureDifference(fast.data, slow.data)
    expect(mean).toBeGreaterThan(0)
    expect(mean).toBeLessThan(2)
  },
)
