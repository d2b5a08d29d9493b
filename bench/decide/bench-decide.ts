import { createCpuBackend } from '../../src/backends/index.ts'
import { measurePeak } from '../../src/cli/bench/measure-peak.ts'
import { provideQwen3 } from '../models/random-qwen3.ts'
import type { Bench } from '../report/bench.ts'
import { measureColdStart } from './measure-cold-start.ts'
import { measureModel, type ModelFigures } from './measure-model.ts'
import { renderResults } from './render-results.ts'
import type { DecideResults } from './results.ts'

/** `decide` against its own parts. `layers` 0 leaves out the bundle in the shapes of Qwen3-0.6B. */
export const decideBench: Bench<DecideResults> = {
  async measure({ model, layers, threads, runs }) {
    console.error('peak of the machine')
    const backend = await createCpuBackend({ threads })
    const peak = await measurePeak(backend, 2 * runs)
    await backend.dispose()
    console.error('cold start')
    const coldStart = await measureColdStart(model, threads, runs)
    const models: ModelFigures[] = []
    for (const folder of [model, ...(layers > 0 ? [await provideQwen3({ layers, bits: 8 })] : [])]) {
      console.error(folder)
      models.push(await measureModel({ folder, threads, runs }))
    }
    return { peak, cold_start: coldStart, models }
  },
  render: (results) => ({ markdown: renderResults(results) }),
}
