import { basename, resolve } from 'node:path'
import { createCpuBackend } from '../../src/backends/index.ts'
import { type Summary, summarize } from '../../src/cli/bench/statistics.ts'
import { createEngine, type Engine } from '../../src/engine/index.ts'
import { FAMILIES } from '../images/step-model.ts'
import { timeAlternating } from '../measure/time-alternating.ts'
import { watchMemory } from '../measure/watch-memory.ts'
import { provideRandomModel } from '../models/random-checkpoint.ts'
import { provideQwen3 } from '../models/random-qwen3.ts'
import { fitRequest } from '../peers/fit-requests.ts'
import type { Bench, BenchOptions } from '../report/bench.ts'
import { measureClients } from './measure-clients.ts'
import { renderGrowth } from './render-growth.ts'
import type { Curve, GrowthResults } from './results.ts'

const QUESTION_TOKENS = 64
/** Calls that take longer are not repeated: those of the larger model grow with the square, to minutes on a small machine. */
const LONG_MS = 15_000
/** State of the calls whose number of questions grows. */
const STATE_TOKENS = 1024

/** How time and memory grow with the size of a request. */
export const growthBench: Bench<GrowthResults> = {
  async measure(options) {
    const curves: Curve[] = []
    const { model, layers, runs, threads } = options
    for (const folder of [model, await provideQwen3({ layers, bits: 8 })]) {
      await using engine = await openEngine(folder, options)
      curves.push(...(await measureDecisions(engine, basename(folder), options)))
      if (folder === model) curves.push(...(await measureClients(resolve(folder), threads, runs)))
    }
    curves.push(await measureArea(options))
    return { layers, curves }
  },
  render: renderGrowth,
}

function openEngine(folder: string, { threads }: BenchOptions): Promise<Engine> {
  return createEngine({ backend: 'cpu', threads, models: { 'decide-latest': resolve(folder) } })
}

async function measureDecisions(engine: Engine, name: string, options: BenchOptions): Promise<Curve[]> {
  const { states, questions, runs } = options
  const longer = await prepare(
    engine,
    states.map((state) => [state, { state, questions: 1 }]),
  )
  const more = await prepare(
    engine,
    questions.map((asked) => [asked, { state: STATE_TOKENS, questions: asked }]),
  )
  return [
    await measureCurve({ name, over: 'state tokens' }, longer, runs),
    await measureCurve({ name, over: 'questions' }, more, runs),
  ]
}

type Call = readonly [x: number, call: () => Promise<unknown>]

async function prepare(
  engine: Engine,
  sizes: readonly (readonly [number, { state: number; questions: number }])[],
): Promise<Call[]> {
  const calls: Call[] = []
  for (const [x, size] of sizes) {
    const request = await fitRequest(engine, { ...size, question: QUESTION_TOKENS })
    calls.push([x, () => engine.decide(request)])
  }
  return calls
}

async function measureCurve(
  { name, over }: Pick<Curve, 'name' | 'over'>,
  calls: readonly Call[],
  runs: number,
): Promise<Curve> {
  const first: { x: number; time: Summary; memory_mib: number }[] = []
  for (const [x, call] of calls) {
    const started = performance.now()
    const memory_mib = await watchMemory(call)
    first.push({ x, time: summarize([performance.now() - started]), memory_mib })
  }
  const short = calls.filter((_, index) => first[index]!.time.median <= LONG_MS)
  const times = await timeAlternating(Object.fromEntries(short.map(([x, call]) => [String(x), call])), runs)
  const points = first.map((point) => ({ ...point, time: times[String(point.x)] ?? point.time }))
  console.error(`${name}, ${over}: ${points.map(({ x, time }) => `${x} ${time.median.toFixed(0)} ms`).join(', ')}`)
  return { name, over, points }
}

/** Steps of a transformer at float32, for pictures of growing area. */
async function measureArea({ threads, runs, sides }: BenchOptions): Promise<Curve> {
  const [family] = FAMILIES
  if (family === undefined) throw new Error('expected at least one family of image models')
  const folder = await provideRandomModel(family.model, 'float32')
  const backend = await createCpuBackend({ threads })
  const calls: Call[] = []
  for (const side of sides) {
    const model = await family.open(backend, folder, side)
    calls.push([side ** 2, () => model.predict()])
  }
  const curve = await measureCurve({ name: `one step, ${family.model.name}`, over: 'pixels' }, calls, runs)
  await backend.dispose()
  return curve
}
