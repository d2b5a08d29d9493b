import { expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import {
  fixtureFolder,
  LANGUAGE_MODEL_FIXTURES,
  openCheckpoint,
  readExpected,
} from '../../../test/helpers/language-model-fixture.ts'
import { readFloats } from '../../../test/helpers/read-tensor.ts'
import { largestRelativeError } from '../../../test/helpers/relative-error.ts'
import { float32, int64, runGraph } from '../../../test/helpers/run-graph.ts'
import type { Tensor } from '../../backends/backend.ts'
import { listNormGroups } from '../../models/language-models/norm-groups.ts'
import { tensorPrefix } from '../../models/language-models/tensor-layout.ts'
import { buildHiddenStates } from './hidden-states.ts'
import { buildLayerPeaks } from './layer-peaks.ts'

const backend = await cpuBackend()

it.each(LANGUAGE_MODEL_FIXTURES)('each layer of %s is that of the whole model', async (name) => {
  const { config, weights } = await openCheckpoint(fixtureFolder(name))
  const { ids } = await readExpected(fixtureFolder(name))
  const { hidden_size: hidden, num_hidden_layers: layers } = config
  const maxPositions = ids.length
  const places = {
    position_ids: int64(
      ids.map((_, i) => i),
      1,
      ids.length,
    ),
    seqlens_k: { type: 'int32', dims: [1], data: Int32Array.of(ids.length - 1) } as Tensor,
    total_sequence_length: { type: 'int32', dims: [], data: Int32Array.of(ids.length) } as Tensor,
  }
  const stateOf = async (state: number) => {
    const graph = buildHiddenStates(config, weights, { hiddenStates: [state], maxPositions, linear: 'float' })
    return (await runGraph(backend, graph, { ...places, input_ids: int64(ids, 1, ids.length) }))['hidden']!
  }
  // The last hidden state is behind the model's norm.
  for (let layer = 0; layer + 1 < layers; layer++) {
    const groups = listNormGroups(config, tensorPrefix(weights), layer)
    const graph = buildLayerPeaks(config, weights, { layer, groups, maxPositions })
    const x = await stateOf(layer)
    const read = await runGraph(backend, graph, { x: float32(x.data as Float32Array, ids.length, hidden), ...places })
    expect(largestRelativeError(read['y'], (await stateOf(layer + 1)).data as Float32Array)).toBeLessThan(1e-5)
    expect(read['input.0']!.dims).toEqual([1, hidden])
  }
})

it('tells the largest magnitudes of inputs and weights of every channel', async () => {
  const { config, weights } = await openCheckpoint(fixtureFolder('qwen3-gqa2-untied'))
  const { hidden_size: hidden, rms_norm_eps: epsilon } = config
  const groups = listNormGroups(config, tensorPrefix(weights), 0)
  const graph = buildLayerPeaks(config, weights, { layer: 0, groups, maxPositions: 2 })
  const x = Float32Array.from({ length: 2 * hidden }, (_, i) => Math.sin(i * i))
  const read = await runGraph(backend, graph, {
    x: float32(x, 2, hidden),
    position_ids: int64([0, 1], 1, 2),
    seqlens_k: { type: 'int32', dims: [1], data: Int32Array.of(1) },
    total_sequence_length: { type: 'int32', dims: [], data: Int32Array.of(2) },
  })
  const norm = readFloats(weights, groups[0]!.norm)
  const rows = [x.subarray(0, hidden), x.subarray(hidden)].map((row) => {
    const root = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0) / hidden + epsilon)
    return row.map((value, i) => Math.abs((value / root) * norm[i]!))
  })
  const largest = rows[0]!.map((value, i) => Math.max(value, rows[1]![i]!))
  expect(largestRelativeError(read['input.0'], largest)).toBeLessThan(1e-5)
  const matrices = groups[1]!.matrices.map((matrix) => readFloats(weights, matrix))
  const columns = Float32Array.from({ length: hidden }, (_, column) =>
    Math.max(
      ...matrices.flatMap((all) =>
        Array.from(
          all.filter((_, i) => i % hidden === column),
          Math.abs,
        ),
      ),
    ),
  )
  expect(Array.from(read['weight.1']!.data as Float32Array)).toEqual(Array.from(columns))
})
