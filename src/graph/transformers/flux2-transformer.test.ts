import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { materializeBundle, type ImageBundle } from '../../../test/helpers/image-bundle.ts'
import { readFloats } from '../../../test/helpers/read-tensor.ts'
import { largestRelativeError } from '../../../test/helpers/relative-error.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { quantizeWeights } from '../../models/quantize/quantize-weights.ts'
import { forwardFlux2 } from '../test-support/forward-flux2.ts'

const backend = await cpuBackend()

const RUNS = [
  ...[0, 1, 2].map((run) => ({ bundle: 'klein-distilled' as const, run })),
  ...[0, 1].map((run) => ({ bundle: 'klein-base' as const, run })),
].flatMap((row) => (['fused', 'explicit'] as const).map((attention) => ({ ...row, attention })))

describe('the FLUX.2 transformer', () => {
  const work = temporaryFolder()
  const bundles = new Map<string, ImageBundle>()

  beforeAll(async () => {
    for (const name of ['klein-distilled', 'klein-base'] as const) bundles.set(name, await materializeBundle(name))
  })
  afterAll(async () => {
    for (const bundle of bundles.values()) await bundle.remove()
  })

  it.each(RUNS)('agrees with diffusers: $bundle, forward $run, $attention attention', async (row) => {
    const bundle = bundles.get(row.bundle)!
    const got = await forwardFlux2(
      backend,
      { ...bundle, run: row.run },
      openFolder(join(bundle.folder, 'transformer')),
      {
        linear: 'float',
        attention: row.attention,
      },
    )
    expect(largestRelativeError(got, readFloats(bundle.expected, `forward.${row.run}.output`))).toBeLessThan(2e-5)
  })

  it.each([4, 8] as const)('gives the same on %d-bit weights as on their dequantised values', async (bits) => {
    const bundle = bundles.get('klein-distilled')!
    const out = join(work, `${bits}`)
    await quantizeWeights({ folder: join(bundle.folder, 'transformer'), out, bits, blockSize: 32 })
    const reference = await forwardFlux2(backend, { ...bundle, run: 2 }, openFolder(out), { linear: 'float' })
    const got = await forwardFlux2(backend, { ...bundle, run: 2 }, openFolder(out), { linear: { accuracyLevel: 0 } })
    expect(largestRelativeError(got, reference.data as Float32Array)).toBeLessThan(1e-4)
    const unquantized = readFloats(bundle.expected, 'forward.2.output')
    expect(largestRelativeError(got, unquantized)).toBeLessThan(bits === 8 ? 0.05 : 0.8)
  })
})
