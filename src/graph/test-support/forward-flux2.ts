import { readFloats, readIntegers } from '../../../test/helpers/read-tensor.ts'
import { float32, runGraph } from '../../../test/helpers/run-graph.ts'
import type { Backend, Tensor } from '../../backends/backend.ts'
import { jointPositions } from '../../images/sampling/positions.ts'
import { computeRotaryTable } from '../../images/sampling/rotary-table.ts'
import { computeTimestepFeatures } from '../../images/sampling/timestep-features.ts'
import { flux2ConfigSchema } from '../../models/configs/flux2-config.ts'
import { readConfig } from '../../models/configs/read-config.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { indexWeights } from '../../models/weights/index-weights.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import type { TransformerOptions } from '../layers/start-graph.ts'
import { buildFlux2Transformer } from '../transformers/flux2-transformer.ts'

/** A forward pass that a fixture of images recorded. */
export interface RecordedForward {
  readonly expected: WeightIndex
  readonly run: number
}

/**
 * The same pass with the transformer in a folder.
 *
 * @param weights @defaultValue those of the folder
 */
export async function forwardFlux2(
  backend: Backend,
  { expected, run }: RecordedForward,
  files: ModelFiles,
  options: TransformerOptions,
  weights?: WeightIndex,
): Promise<Tensor> {
  const config = await readConfig(files, 'config.json', flux2ConfigSchema, 'a configuration')
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
  const graph = buildFlux2Transformer(config, weights ?? (await indexWeights(files)), options)
  const outputs = await runGraph(backend, graph, {
    tokens,
    text,
    timestep: float32(computeTimestepFeatures(Math.fround((time.data[0] as number) * 1000)), 1, 256),
    cos: float32(cos, ...dims),
    sin: float32(sin, ...dims),
  })
  return outputs['velocity']!
}
