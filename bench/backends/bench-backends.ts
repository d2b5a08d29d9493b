import { type BackendName, detectBackends } from '../../src/backends/index.ts'
import { type Child, openChild, TooSlowError } from '../measure/child.ts'
import { timeAlternating } from '../measure/time-alternating.ts'
import { FLUX2_SMALL } from '../models/flux2-shape.ts'
import { qwen3Mid } from '../models/qwen3-mid.ts'
import { type Precision, provideRandomModel, type RandomModel } from '../models/random-checkpoint.ts'
import type { Bench } from '../report/bench.ts'
import { renderBackends } from './render-backends.ts'
import type { BackendsResults, Cell } from './results.ts'
import type { JobKind, Ready } from './run-job.ts'

interface Variant {
  readonly weights: string
  readonly folder: string
}

const RUN_JOB = ['scripts/run-ts.mjs', 'bench/backends/run-job.ts']
/** A device in software may take minutes; it is not waited for. */
const FIRST_RESULT_MS = 40_000
/** Nearly all of a round is WebAssembly, half a minute on a busy machine. */
const MOST_RUNS = 3
const PRECISIONS: readonly Precision[] = ['float32', 'int8', 'int4']

/** The same requests on every backend that computes here, each in a process of its own. */
export const backendsBench: Bench<BackendsResults> = {
  async measure({ model, threads, runs }) {
    const statuses = await detectBackends()
    const there = statuses.filter(({ available }) => available).map(({ name }) => name)
    const missing = statuses
      .filter(({ available }) => !available)
      .map(({ name, reason = '' }) => ({ backend: name, reason }))
    const mid = await qwen3Mid()
    const jobs: { job: string; kind: JobKind; variants: readonly Variant[] }[] = [
      { job: 'decide, embedded model', kind: 'decide', variants: [{ weights: 'as shipped', folder: model }] },
      { job: `decide, ${mid.name}`, kind: 'decide', variants: await provideAll(mid) },
      { job: `one step of ${FLUX2_SMALL.name}`, kind: 'step', variants: await provideAll(FLUX2_SMALL) },
      {
        job: 'a picture, embedded model',
        kind: 'picture',
        variants: [{ weights: 'as shipped', folder: 'models/image-mini' }],
      },
      { job: '64 MiB in and out of a session', kind: 'copies', variants: [{ weights: 'none', folder: '' }] },
    ]
    const cells: Cell[] = []
    for (const { job, kind, variants } of jobs) {
      const open = (backend: BackendName, folder: string) =>
        openChild(process.execPath, [...RUN_JOB, kind, backend, folder, String(threads)], FIRST_RESULT_MS)
      cells.push(...(await measureJob({ job, variants, backends: there, open, runs: Math.min(runs, MOST_RUNS) })))
    }
    return { cells, missing }
  },
  render: (results) => ({ markdown: renderBackends(results) }),
}

async function provideAll(model: RandomModel): Promise<Variant[]> {
  const variants: Variant[] = []
  for (const weights of PRECISIONS) variants.push({ weights, folder: await provideRandomModel(model, weights) })
  return variants
}

async function measureJob({
  job,
  variants,
  backends,
  open,
  runs,
}: {
  readonly job: string
  readonly variants: readonly Variant[]
  readonly backends: readonly BackendName[]
  readonly open: (backend: BackendName, folder: string) => Promise<Child>
  readonly runs: number
}): Promise<Cell[]> {
  const cells: Cell[] = []
  const children = new Map<string, Child>()
  let exact: readonly number[] = []
  for (const backend of backends) {
    let slow: string | undefined
    for (const { weights, folder } of variants) {
      try {
        if (slow !== undefined) throw new Error(`not tried, since ${slow} gave no result in time`)
        const child = await open(backend, folder)
        const { values, ...ready } = child.ready as Ready
        // The first backend and the first variant are cpu with the most exact weights.
        if (exact.length === 0) exact = values
        children.set(`${backend} ${weights}`, child)
        cells.push({ job, backend, weights, ...ready, deviation: largestDistance(values, exact) })
      } catch (error) {
        if (error instanceof TooSlowError) slow = weights
        cells.push({ job, backend, weights, reason: (error as Error).message })
      }
    }
  }
  const ways = Object.fromEntries([...children].map(([key, child]) => [key, () => child.step()]))
  const times = await timeAlternating(ways, runs)
  await Promise.all([...children.values()].map((child) => child.close()))
  return cells.map((cell) => {
    const time = times[`${cell.backend} ${cell.weights}`]
    console.error(`${job}, ${cell.backend}, ${cell.weights}: ${time ? `${time.median.toFixed(0)} ms` : cell.reason}`)
    return time === undefined ? cell : { ...cell, time }
  })
}

function largestDistance(values: readonly number[], exact: readonly number[]): number {
  const size = exact.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  return values.reduce((most, value, i) => Math.max(most, Math.abs(value - (exact[i] as number))), 0) / size
}
