import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { fixtureFolder, openCheckpoint } from '../../test/helpers/language-model-fixture.ts'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { quantizeWeights } from '../models/quantize/quantize-weights.ts'
import { GraphBuilder } from '../onnx/graph-builder.ts'
import { add } from '../onnx/ops/elementwise.ts'
import { buildLanguageModel } from './language-model/language-model.ts'
import { checkWithOnnx, hasOnnxPackage } from './test-support/onnx-checker.ts'

describe.skipIf(!hasOnnxPackage())('onnx.checker', () => {
  let work: string

  beforeEach(() => void (work = temporaryFolder()))

  it('accepts all graphs of a float checkpoint', async () => {
    const folder = join(work, 'float')
    await cp(fixtureFolder('qwen3-bf16'), folder, { recursive: true })
    const { config, weights } = await openCheckpoint(folder)
    const graphs = (['prefill', 'branch', 'both'] as const).map((graph) =>
      buildLanguageModel(config, weights, { graph, linear: 'float', maxPositions: 8 }),
    )
    checkWithOnnx(graphs, folder)
  })

  it('accepts the graphs of a quantised checkpoint, expanded or not', async () => {
    const folder = join(work, 'int4')
    await quantizeWeights({ folder: fixtureFolder('qwen3-gqa2-untied'), out: folder, bits: 4, blockSize: 32 })
    const { config, weights } = await openCheckpoint(folder)
    const graphs = (['float', { accuracyLevel: 4 }] as const).map((linear) =>
      buildLanguageModel(config, weights, { graph: 'branch', linear, maxPositions: 8 }),
    )
    checkWithOnnx(graphs, folder)
  })

  it('refuses a graph that reads what nothing makes', () => {
    const g = new GraphBuilder('broken')
    const x = g.input('x', 'float32', [1])
    const elsewhere = new GraphBuilder('other').input('elsewhere', 'float32', [1])
    g.output('sum', add(g, x, elsewhere), 'float32', [1])
    expect(() => checkWithOnnx([g.build()], work)).toThrow()
  })
})
