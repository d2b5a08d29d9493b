import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { materializeBundle, type ImageBundle } from '../../test/helpers/image-bundle.ts'
import { drawFloats } from '../../test/helpers/pseudo-random.ts'
import { largestRelativeError } from '../../test/helpers/relative-error.ts'
import { float32, int64, runGraph } from '../../test/helpers/run-graph.ts'
import type { Precision } from '../backends/backend.ts'
import { readConfig } from '../models/configs/read-config.ts'
import { zImageConfigSchema } from '../models/configs/z-image-config.ts'
import { openFolder } from '../models/files/model-folder.ts'
import { readSafetensors } from '../models/weights/read-safetensors.ts'
import type { WeightIndex } from '../models/weights/weight-index.ts'
import { mul, silu } from '../onnx/ops/elementwise.ts'
import type * as Remedies from './layers/precision.ts'
import { halfBound, keepHalfRounding } from './test-support/half-rounding.ts'
import { buildZImageTransformer } from './transformers/z-image-transformer.ts'

const backend = await cpuBackend()

const remedy = vi.hoisted(() => ({ on: true }))

vi.mock('./layers/precision.ts', async (importOriginal) => {
  const real = await importOriginal<typeof Remedies>()
  return {
    ...real,
    shrink: ((model, x) => (remedy.on ? real.shrink(model, x) : x)) satisfies typeof real.shrink,
    gatedShrunk: ((model, gate, up) =>
      remedy.on
        ? real.gatedShrunk(model, gate, up)
        : mul(model.g, silu(model.g, gate), up)) satisfies typeof real.gatedShrunk,
    endBlock: ((model, product) =>
      remedy.on ? real.endBlock(model, product) : real.widen(model, product)) satisfies typeof real.endBlock,
  }
})

/** The norm behind each product takes a factor out again, so that the model stays what it was. */
const ENLARGED: readonly (readonly [name: RegExp, factor: number])[] = [
  [/attention\.to_out\.0\.weight$/, 1e5],
  [/feed_forward\.w[13]\.weight$/, 150],
  [/feed_forward\.w2\.weight$/, 10],
]

/** Multiplies stored float32 weights in their file. */
function enlarge(weights: WeightIndex): void {
  for (const name of weights.names) {
    const factor = ENLARGED.find(([pattern]) => pattern.test(name))?.[1]
    if (factor === undefined) continue
    const { file, offset, length } = weights.get(name)!
    const path = join(weights.folder, file)
    const bytes = readFileSync(path)
    for (let at = offset; at < offset + length; at += 4) bytes.writeFloatLE(bytes.readFloatLE(at) * factor, at)
    writeFileSync(path, bytes)
  }
}

describe('a Z-Image whose products leave the range of float16', () => {
  let bundle: ImageBundle
  beforeAll(async () => {
    bundle = await materializeBundle('z-image-turbo')
    enlarge(await readSafetensors(join(bundle.folder, 'transformer')))
  })
  afterAll(() => bundle.remove())
  beforeEach(keepHalfRounding)
  afterEach(() => {
    vi.restoreAllMocks()
    remedy.on = true
  })

  async function predict(precision: Precision): Promise<Float32Array> {
    const path = join(bundle.folder, 'transformer')
    const config = await readConfig(openFolder(path), 'config.json', zImageConfigSchema, 'a configuration')
    const pairs = config.dim / config.n_heads / 2
    const noise = (name: string, ...dims: readonly [number, number]) =>
      float32(drawFloats(name, dims[0] * dims[1], 0, 1), ...dims)
    const still = float32(new Float32Array(32 * pairs).fill(1), 32, pairs)
    const turned = float32(new Float32Array(32 * pairs), 32, pairs)
    const graph = buildZImageTransformer(config, await readSafetensors(path), { linear: 'float', precision })
    const { prediction } = await runGraph(backend, graph, {
      tokens: noise('tokens', 32, 4 * config.in_channels),
      timestep: noise('time', 1, 256),
      token_rows: int64(
        Array.from({ length: 32 }, (_, i) => i),
        32,
      ),
      caption: noise('caption', 32, config.dim),
      cos: still,
      sin: turned,
      caption_cos: still,
      caption_sin: turned,
    })
    return prediction!.data as Float32Array
  }

  it('is computed in it with their inputs made smaller', async () => {
    const error = largestRelativeError(float32(await predict('float16')), await predict('float32'))
    expect(error).toBeLessThan(halfBound(5e-3))
  })

  it('and not without', async () => {
    remedy.on = false
    expect((await predict('float16')).every(Number.isNaN)).toBe(true)
    expect((await predict('float32')).every(Number.isFinite)).toBe(true)
  })
})
