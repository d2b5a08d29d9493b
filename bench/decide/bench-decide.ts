import { access, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCpuBackend } from '../../src/backends/index.ts'
import { describeEnvironment, type Environment } from '../measure/environment.ts'
import { writeRandomQwen3 } from '../models/write-random-qwen3.ts'
import { type ColdStart, measureColdStart } from './measure-cold-start.ts'
import { measureModel, type ModelFigures } from './measure-model.ts'
import { measurePeak, type Peak } from './measure-peak.ts'
import { renderResults } from './render-results.ts'

export interface DecideResults {
  readonly environment: Environment
  readonly peak: Peak
  readonly cold_start: ColdStart
  readonly models: readonly ModelFigures[]
}

export interface BenchDecideOptions {
  /** Bundle of the embedded model. */
  readonly model: string
  /** Layers of the bundle in the shapes of Qwen3-0.6B (28 in the real one); 0 leaves it out. */
  readonly layers: number
  readonly threads: number
  readonly runs: number
  /** Folder for `results/decide.json` and `RESULTS.md`. */
  readonly out: string
}

export async function benchDecide({ model, layers, threads, runs, out }: BenchDecideOptions): Promise<void> {
  const environment = await describeEnvironment(threads)
  console.error('peak of the machine')
  const backend = await createCpuBackend({ threads })
  const peak = await measurePeak(backend, 2 * runs)
  await backend.dispose()
  console.error('cold start')
  const coldStart = await measureColdStart(model, threads, runs)
  const models: ModelFigures[] = []
  for (const folder of [model, ...(layers > 0 ? [await provideQwen3(layers, model)] : [])]) {
    console.error(folder)
    models.push(await measureModel({ folder, threads, runs }))
  }
  const results: DecideResults = { environment, peak, cold_start: coldStart, models }
  await mkdir(join(out, 'results'), { recursive: true })
  await writeFile(join(out, 'results', 'decide.json'), `${JSON.stringify(results, round, 2)}\n`)
  await writeFile(join(out, 'RESULTS.md'), renderResults(results))
  console.error(`written: ${join(out, 'RESULTS.md')}`)
}

async function provideQwen3(layers: number, tokenizerOf: string): Promise<string> {
  const folder = `out/bench-models/qwen3-0.6b-random-${layers}`
  const there = await access(folder).then(() => true, () => false)
  if (!there) await writeRandomQwen3(folder, layers, tokenizerOf)
  return folder
}

function round(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(5)) : value
}
