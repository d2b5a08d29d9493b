import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { materializeBundle, type ImageBundle } from '../../../test/helpers/image-bundle.ts'
import { readFloats, readIntegers } from '../../../test/helpers/read-tensor.ts'
import { largestRelativeError } from '../../../test/helpers/relative-error.ts'
import { float32, runGraph } from '../../../test/helpers/run-graph.ts'
import type { Backend } from '../../backends/backend.ts'
import { createCpuBackend } from '../../backends/cpu.ts'
import { jointPositions } from '../../images/sampling/positions.ts'
import { computeRotaryTable } from '../../images/sampling/rotary-table.ts'
import { computeTimestepFeatures } from '../../images/sampling/timestep-features.ts'
import { flux2ConfigSchema } from '../../models/flux2-config.ts'
import { openFolder } from '../../models/model-folder.ts'
import { quantizeWeights } from '../../models/quantize-weights.ts'
import { readConfig } from '../../models/read-config.ts'
import { readSafetensors } from '../../models/read-safetensors.ts'
import type { TransformerOptions } from '../layers/full-attention.ts'
import { buildFlux2Transformer } from './flux2-transformer.ts'

const RUNS = [
  ...[0, 1, 2].map((run) => ({ bundle: 'klein-distilled' as const, run })),
  ...[0, 1].map((run) => ({ bundle: 'klein-base' as const, run })),
].flatMap((row) => (['fused', 'explicit'] as const).map((attention) => ({ ...row, attention })))

describe('the FLUX.2 transformer', () => {
  let backend: Backend
  let work: string
  const bundles = new Map<string, ImageBundle>()

  beforeAll(async () => {
    backend = await createCpuBackend({ threads: 1 })
    work = await mkdtemp(join(tmpdir(), 'tessera-flux2-'))
    for (const name of ['klein-distilled', 'klein-base'] as const) bundles.set(name, await materializeBundle(name))
  })
  afterAll(async () => {
    await backend.dispose()
    for (const bundle of bundles.values()) await bundle.remove()
    await rm(work, { recursive: true })
  })

  it.each(RUNS)('agrees with diffusers: $bundle, forward $run, $attention attention', async (row) => {
    const bundle = bundles.get(row.bundle)!
    const got = await forward(bundle, row.run, join(bundle.folder, 'transformer'), {
      linear: 'float',
      attention: row.attention,
    })
    expect(largestRelativeError(got, readFloats(bundle.expected, `forward.${row.run}.output`))).toBeLessThan(2e-5)
  })

  it.each([4, 8] as const)('gives the same on %d-bit weights as on their dequantised values', async (bits) => {
    const bundle = bundles.get('klein-distilled')!
    const out = join(work, `${bits}`)
    await quantizeWeights({ folder: join(bundle.folder, 'transformer'), out, bits, blockSize: 32 })
    const reference = await forward(bundle, 2, out, { linear: 'float' })
    const got = await forward(bundle, 2, out, { linear: { accuracyLevel: 0 } })
    expect(largestRelativeError(got, reference.data as Float32Array)).toBeLessThan(1e-4)
    const unquantized = readFloats(bundle.expected, 'forward.2.output')
    expect(largestRelativeError(got, unquantized)).toBeLessThan(bits === 8 ? 0.05 : 0.8)
  })

  async function forward({ expected }: ImageBundle, run: number, path: string, options: TransformerOptions) {
    const config = await readConfig(openFolder(path), 'config.json', flux2ConfigSchema, 'a configuration')
    const read = (name: string) => {
      const { shape } = expected.get(`forward.${run}.${name}`)!
      return float32(readFloats(expected, `forward.${run}.${name}`), ...shape)
    }
    const grids = readIntegers(expected, `forward.${run}.grids`)
    const [target, ...references] = Array.from({ length: grids.length / 2 }, (_, i) => ({
      height: grids[2 * i]!,
      width: grids[2 * i + 1]!,
    }))
    const [text, tokens, time] = [read('text'), read('tokens'), read('timestep')]
    const positions = jointPositions(text.dims[0]!, target!, references)
    const axes = { widths: config.axes_dims_rope, theta: config.rope_theta, rounds: 'results' } as const
    const { cos, sin } = computeRotaryTable(positions, axes)
    const dims = [positions.length / 4, config.attention_head_dim / 2]
    const graph = buildFlux2Transformer(config, await readSafetensors(path), options)
    const outputs = await runGraph(backend, graph, {
      tokens,
      text,
      timestep: float32(computeTimestepFeatures(Math.fround((time.data[0] as number) * 1000)), 1, 256),
      cos: float32(cos, ...dims),
      sin: float32(sin, ...dims),
    })
    return outputs['velocity']!
  }
})
