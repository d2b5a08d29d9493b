import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { materializeBundle, type ImageBundle } from '../../../test/helpers/image-bundle.ts'
import { readFloats } from '../../../test/helpers/read-tensor.ts'
import { largestRelativeError } from '../../../test/helpers/relative-error.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { forwardZImage } from '../test-support/forward-z-image.ts'

const backend = await cpuBackend()

const RUNS = [
  ...[0, 1, 2].map((run) => ({ bundle: 'z-image-turbo' as const, run })),
  ...[0, 1].map((run) => ({ bundle: 'z-image-base' as const, run })),
].flatMap((row) => (['fused', 'explicit'] as const).map((attention) => ({ ...row, attention })))

describe('the S3-DiT agrees with diffusers', () => {
  const bundles = new Map<string, ImageBundle>()

  beforeAll(async () => {
    for (const name of ['z-image-turbo', 'z-image-base'] as const) bundles.set(name, await materializeBundle(name))
  })
  afterAll(async () => {
    for (const bundle of bundles.values()) await bundle.remove()
  })

  it.each(RUNS)('$bundle, forward $run, $attention attention', async ({ bundle, run, attention }) => {
    const { folder, expected } = bundles.get(bundle)!
    const wanted = readFloats(expected, `forward.${run}.output`)
    const got = await forwardZImage(backend, { expected, run }, openFolder(join(folder, 'transformer')), {
      linear: 'float',
      attention,
    })
    expect(largestRelativeError(got, wanted)).toBeLessThan(2e-5)
  })
})
