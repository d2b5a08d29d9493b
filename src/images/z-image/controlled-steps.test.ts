import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONTROL_NETS, materializeControlled, readControlCases } from '../../../test/helpers/control-net.ts'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import type { ImageBundle } from '../../../test/helpers/image-bundle.ts'
import { readFloats } from '../../../test/helpers/read-tensor.ts'
import { largestRelativeError } from '../../../test/helpers/relative-error.ts'
import { float32 } from '../../../test/helpers/run-graph.ts'
import { type Backend, type Tensor } from '../../backends/index.ts'
import { withSessions } from '../../backends/with-sessions.ts'
import { zImageConfigSchema } from '../../models/configs/z-image-config.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { readPart } from '../read-part.ts'
import { patchify, unpatchify } from '../sampling/packing.ts'
import { readControlNet } from './read-control-net.ts'
import { openZImageDenoiser } from './z-image-denoiser.ts'

const backend = await cpuBackend()

/** The same backend, with what each run that takes `hints` for `refined` rows is given. */
function recording(backend: Backend, given: Tensor[]): Backend {
  return withSessions(backend, {
    createSession: async (graph) => {
      const session = await backend.createSession(graph)
      return {
        ...session,
        run(feeds, outputs) {
          if ('refined' in feeds && 'hints' in feeds) given.push(feeds['hints'] as Tensor)
          return session.run(feeds, outputs)
        },
      }
    },
  })
}

describe.each(CONTROL_NETS)('a step with a ControlNet of the form %s', (net) => {
  let bundle: ImageBundle
  beforeAll(async () => {
    bundle = await materializeControlled(net)
  })
  afterAll(() => bundle.remove())

  const forwards = Array.from({ length: readControlCases(net).forwards }, (_, run) => ({ run }))
  it.each(forwards)('adds what diffusers adds, and predicts the same: forward $run', async ({ run }) => {
    const read = (name: string) => readFloats(bundle.expected, `forward.${run}.${name}`)
    const shapeOf = (name: string) => bundle.expected.get(`forward.${run}.${name}`)!.shape
    const files = openFolder(bundle.folder)
    const transformer = await readPart(files.within('transformer'), zImageConfigSchema, 'a Z-Image transformer')
    const control = await readControlNet(files, transformer, { unread: {}, controlled: true })
    const given: Tensor[] = []
    const denoiser = await openZImageDenoiser(recording(backend, given), transformer, control)
    const [channels, height, width] = shapeOf('latents') as [number, number, number]
    const features = float32(read('caption'), ...shapeOf('caption'))
    const predict = await denoiser.begin(
      features,
      { height: height / 2, width: width / 2 },
      { turn: async () => {} },
      { tokens: patchify(read('control'), shapeOf('control')[0]!, height, width), scale: read('scale')[0]! },
    )
    const velocity = await predict(patchify(read('latents'), channels, height, width), 1 - read('timestep')[0]!)
    await denoiser.dispose()

    const [hints] = given
    expect(hints!.dims).toEqual(shapeOf('hints'))
    expect(largestRelativeError(hints!, read('hints'))).toBeLessThan(2e-5)
    const output = unpatchify(velocity, channels, height, width).map((value) => -value)
    expect(largestRelativeError(float32(output), read('output'))).toBeLessThan(2e-5)
  })
})
