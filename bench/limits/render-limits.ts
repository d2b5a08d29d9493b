import { ms, percent, table } from '../report/markdown.ts'
import type { LimitsResults } from './bench-limits.ts'

export function renderLimits({ peak, bandwidth, jobs }: LimitsResults): string {
  const rate = (value: number) => value.toFixed(0)
  return [
    'Products of 1,024 × 2,560 × 2,560 and a copy of 128 MiB, through the runtime that also runs the models; the best of all runs. A job ' +
      'could not be faster than its work at that rate, or than reading its weights once a pass.',
    table(
      ['matrix product, float32', 'int8 in blocks of 128', 'int8 quantised as a whole', 'memory'],
      [[
        `${rate(peak.float32.max)} GFLOP/s`, `${rate(peak.int8_blocks.max)} GFLOP/s`, `${rate(peak.int8_dynamic.max)} GFLOP/s`,
        `${bandwidth.max.toFixed(1)} GB/s`,
      ]],
    ),
    table(
      ['job', 'time', 'work', 'GFLOP/s', 'share of its peak', 'operations a byte of weights', 'reading weights takes'],
      jobs.map(({ name, time, gflop, gigabytes, limit }) => {
        const reached = gflop / (time.median / 1000)
        return [
          name, ms(time), `${rate(gflop)} GFLOP`, rate(reached), `**${percent(reached / peak[limit].max)}**`, rate(gflop / gigabytes),
          percent(gigabytes / bandwidth.max / (time.median / 1000), 1),
        ]
      }),
    ),
    'Attention is computed in float32 whatever the weights are, which keeps the integer ones below their peak.',
  ].join('\n\n')
}
