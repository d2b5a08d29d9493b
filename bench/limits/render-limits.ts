import { ms, percent, table } from '../report/markdown.ts'
import type { Job, LimitsResults } from './results.ts'

export function renderLimits({ peak, bandwidth, jobs }: LimitsResults): string {
  const rates = [peak.float32, peak.int8_blocks, peak.int8_dynamic].map(({ max }) => `${max.toFixed(0)} GFLOP/s`)
  return [
    `Products of 1,024 × 2,560 × 2,560 and reading 512 MiB, through the runtime that also runs the models; the best of all
runs, as are the shares. A job could not be faster than its work at that rate, or than reading its weights once a pass.`,
    table(
      ['matrix product, float32', 'int8 in blocks of 128', 'int8 quantised as a whole', 'memory'],
      [[...rates, `${bandwidth.max.toFixed(1)} GB/s`]],
    ),
    table(
      ['job', 'time', 'work', 'GFLOP/s', 'share of its peak', 'operations a byte of weights', 'reading weights takes'],
      jobs.map((job) => row(job, peak[job.limit].max, bandwidth.max)),
    ),
    `Attention is computed in float32 whatever the weights are, which keeps the jobs with integer weights below their peak.`,
  ].join('\n\n')
}

function row({ name, time, gflop, gigabytes }: Job, peak: number, bandwidth: number): string[] {
  // The best run, as the peak is: both say what the machine does when nothing else takes part of it.
  const seconds = time.min / 1000
  const reached = gflop / seconds
  return [
    name,
    ms(time),
    `${gflop.toFixed(0)} GFLOP`,
    reached.toFixed(0),
    `**${percent(reached / peak)}**`,
    (gflop / gigabytes).toFixed(0),
    percent(gigabytes / bandwidth / seconds, 1),
  ]
}
