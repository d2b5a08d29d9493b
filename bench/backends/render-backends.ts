import { ms, table } from '../report/markdown.ts'
import type { BackendsResults, Cell } from './results.ts'

export function renderBackends({ cells, missing }: BackendsResults): string {
  const jobs = [...new Set(cells.map(({ job }) => job))]
  return [
    `The same requests everywhere, each in a process of its own, in turns: three questions on a state of about 300 tokens, a step
for a picture of 256 × 256, and a whole picture of the embedded model in its own size. The first result includes creating the backend and opening the model. The deviation is
the largest distance of a probability, a value of the prediction or a level of the picture from cpu with the most exact
weights, relative to the largest of them; weights are random but for the embedded models. Those with integers are quantised
from what is shipped.`,
    ...jobs.flatMap((job) => [
      `## ${job[0]?.toUpperCase()}${job.slice(1)}`,
      table(
        ['backend', 'weights', 'time', 'first result', 'resident', 'deviation'],
        cells.filter((cell) => cell.job === job).map(row),
      ),
    ]),
    ...(missing.length > 0
      ? [`Not here: ${missing.map(({ backend, reason }) => `${backend} (${reason})`).join('; ')}.`]
      : []),
  ].join('\n\n')
}

function row({ backend, weights, time, startup_ms: startup, resident_mib: mib, deviation, reason }: Cell): string[] {
  if (time === undefined) return [backend, weights, `did not run: ${reason}`, '–', '–', '–']
  return [
    backend,
    weights,
    ms(time),
    `${startup?.toFixed(0)} ms`,
    `${mib?.toFixed(0)} MiB`,
    deviation?.toExponential(1) ?? '–',
  ]
}
