import colors from 'picocolors'
import { formatProducts } from '../products/format-products.ts'
import type { Benchmark } from './benchmark.ts'
import type { Summary } from './statistics.ts'

export function formatBenchmark({ environment, limits, products, backends }: Benchmark): string {
  const { tessera, node, cpu, processors, threads, load } = environment
  const head = `tessera ${tessera} · node ${node} · ${cpu} · ${processors} processors, ${threads} threads`
  const warning = `other programs are running here (load ${load.toFixed(1)}): figures will vary`
  const busy = load > 0.5 ? [colors.yellow(warning)] : []
  const columns = ['backend', 'first answer', 'decide', 'picture', 'memory', 'deviation']
  const rows = backends.map(({ backend, startup_ms: startup, decide, picture, memory_mib: mib, deviation, reason }) => {
    const cells = [
      backend,
      time(startup),
      spread(decide),
      spread(picture),
      mib === undefined ? '–' : `${mib.toFixed(0)} MiB`,
      deviation === undefined ? '–' : deviation.toExponential(1),
    ]
    return { cells, reason }
  })
  const widths = columns.map((column, i) => Math.max(column.length, ...rows.map(({ cells }) => cells[i]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd()
  return [
    head,
    ...busy,
    '',
    ...(limits ? describeLimits(limits) : []),
    ...(products ? [formatProducts(products), ''] : []),
    colors.bold('the embedded models on every backend that computes here'),
    colors.dim(line(columns)),
    ...rows.flatMap(({ cells, reason }) => [line(cells), ...(reason === undefined ? [] : [colors.dim(`  ${reason}`)])]),
    '',
    colors.dim(
      'medians, smallest and largest in brackets · decide: three questions · picture: 256 × 256 · ' +
        'deviation: of probabilities, from the first',
    ),
  ].join('\n')
}

function describeLimits(limits: NonNullable<Benchmark['limits']>): string[] {
  const { float32_gflops: exact, int8_gflops: int8, memory_gbs: memory } = limits
  return [
    colors.bold('what the processor can do'),
    `matrix products ${exact.toFixed(0)} GFLOP/s in float32, ${int8.toFixed(0)} in int8 · ` +
      `memory ${memory.toFixed(1)} GB/s`,
    '',
  ]
}

function time(ms: number | undefined): string {
  if (ms === undefined) return '–'
  return ms < 10_000 ? `${ms.toFixed(ms < 100 ? 1 : 0)} ms` : `${(ms / 1000).toFixed(1)} s`
}

function spread(summary: Summary | undefined): string {
  if (summary === undefined) return '–'
  return `${time(summary.median)} (${time(summary.min)}–${time(summary.max)})`
}
