import { createCpuBackend } from '../../src/backends/index.ts'
import { measurePeak } from '../../src/cli/bench/measure-peak.ts'
import type { Bench } from '../report/bench.ts'
import { measureDecoding } from './measure-decoding.ts'
import { measureSteps, type StepFigures } from './measure-steps.ts'
import { renderImages } from './render-images.ts'
import type { ImagesResults } from './results.ts'
import { FAMILIES } from './step-model.ts'

/** Side of the pictures of which steps are measured. */
const STEP_SIDE = 512

/** Steps of the transformers and decoding of pictures, `sides` pixels wide and high. */
export const imagesBench: Bench<ImagesResults> = {
  async measure({ threads, runs, sides }) {
    const backend = await createCpuBackend({ threads })
    const peak = await measurePeak(backend, runs)
    await backend.dispose()
    const steps: StepFigures[] = []
    for (const family of FAMILIES) {
      const figures = await measureSteps(family, STEP_SIDE, { threads, runs })
      const times = Object.entries(figures.times).map(([way, { median }]) => `${way} ${median.toFixed(0)} ms`)
      console.error(`${family.kind}: ${times.join(', ')}`)
      steps.push(figures)
    }
    return { peak, steps, decoding: await measureDecoding(sides, { threads, runs: Math.min(runs, 3) }) }
  },
  render: (results) => ({ markdown: renderImages(results) }),
}
