import { cpus, loadavg } from 'node:os'
import { defineCommand } from 'citty'
import colors from 'picocolors'
import { version } from '../../../package.json'
import { countUsableProcessors, detectBackends } from '../../backends/index.ts'
import { countDefaultThreads } from '../../backends/platform.ts'
import { count, readOption } from '../../options/index.ts'
import { openCpu } from '../open-cpu.ts'
import { describeProducts } from '../products/format-products.ts'
import { probeProducts } from '../products/probe-products.ts'
import { readNumber } from '../read-number.ts'
import { printResult, runCommand } from '../run-command.ts'
import type { Benchmark } from './benchmark.ts'
import { formatBenchmark } from './format-benchmark.ts'
import { type BackendFigures, measureBackend } from './measure-backend.ts'
import { measureBandwidth } from './measure-bandwidth.ts'
import { measurePeak } from './measure-peak.ts'

/** All backends together; leaves half a minute of two for the limits and for closing what did not end in time. */
const TOTAL_MS = 90_000
const LIMIT_RUNS = 4

export const benchCommand = defineCommand({
  args: {
    json: { type: 'boolean', description: 'print JSON' },
    threads: {
      type: 'string',
      description: 'threads to compute with; default by the number of processors',
      valueHint: 'n',
    },
  },
  run: (context) =>
    runCommand(context, async ({ args }) => {
      const threads = readThreads(args.threads)
      const environment = describeMachine(threads)
      const limits = await measureLimits(threads)
      const products = limits && (await probeProducts({ threads }))
      const benchmark: Benchmark = {
        environment,
        ...(limits && { limits }),
        ...(products && { products: describeProducts(products) }),
        backends: await measureBackends(threads),
      }
      printResult(args.json ?? false, benchmark, () => formatBenchmark(benchmark))
    }),
})

function readThreads(text: string | undefined): number {
  if (text === undefined) return countDefaultThreads()
  return readOption('--threads', count(1), readNumber('--threads', text))
}

function describeMachine(threads: number): Benchmark['environment'] {
  return {
    tessera: version,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    processors: countUsableProcessors(),
    threads,
    load: loadavg()[0] ?? 0,
  }
}

async function measureLimits(threads: number): Promise<Benchmark['limits']> {
  report('matrix products and memory')
  const backend = await openCpu({ threads })
  if (backend === undefined) return undefined
  const peak = await measurePeak(backend, LIMIT_RUNS)
  const bandwidth = await measureBandwidth(backend, LIMIT_RUNS)
  await backend.dispose()
  return { float32_gflops: peak.float32.max, int8_gflops: peak.int8_blocks.max, memory_gbs: bandwidth.max }
}

async function measureBackends(threads: number): Promise<BackendFigures[]> {
  report('looking for backends')
  const there = (await detectBackends()).filter(({ available }) => available)
  const end = performance.now() + TOTAL_MS
  const all: BackendFigures[] = []
  for (const [index, { name }] of there.entries()) {
    report(name)
    const limitMs = (end - performance.now()) / (there.length - index)
    const figures = await measureBackend(name, { threads, limitMs: Math.max(1000, Math.round(limitMs)) })
    all.push({ ...figures, ...compare(figures.probabilities, all[0]?.probabilities) })
  }
  return all
}

type Probabilities = BackendFigures['probabilities']

function compare(values: Probabilities, first: Probabilities): { deviation?: number } {
  if (values === undefined || first === undefined) return {}
  return { deviation: Math.max(...values.map((value, i) => Math.abs(value - (first[i] ?? Number.NaN)))) }
}

function report(what: string): void {
  process.stderr.write(`${colors.dim(`measuring: ${what}`)}\n`)
}
