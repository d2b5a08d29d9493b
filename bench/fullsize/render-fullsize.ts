import { table } from '../report/markdown.ts'
import type { FullsizeModel, FullsizeResults } from './results.ts'

export function renderFullsize({ models }: FullsizeResults): string {
  return [
    `Checkpoints in their published sizes with random weights, from files that the system has in its cache, in a process each.
Memory is what the system counts as resident, with pages of mapped files; the prediction leaves those out. The engine may use
the budget; pictures are 512 × 512, states have 1,024 tokens. Each is measured by itself; load is the average number of running processes
before and after, the bench's own among them.`,
    table(
      ['', 'files', 'budget', 'open', 'peak', 'without mapped files', 'predicted open / least', 'after dispose'],
      models.map((model) => [
        model.title,
        ...[model.file, model.budget, model.open, model.peak, model.peak_own].map(gigabytes),
        `${gigabytes(model.predicted.open)} / ${gigabytes(model.predicted.needed)}`,
        gigabytes(model.disposed),
      ]),
    ),
    table(
      [
        '',
        'measured',
        'opening',
        'first progress after',
        '`countTokens`',
        'work',
        'largest by stage (without mapped files)',
      ],
      models.map((model) => [
        model.title,
        describeMachine(model),
        seconds(model.opening_ms),
        seconds(model.first_progress_ms),
        countTokens(model),
        Object.entries(model.times)
          .map(([name, ms]) => `${name} ${seconds(ms)}`)
          .join(', '),
        describeStages(model),
      ]),
    ),
  ].join('\n\n')
}

/** What each stage of a picture took at most, without pages of mapped files in brackets. */
function describeStages({ stages = {} }: FullsizeModel): string {
  return Object.entries(stages)
    .map(([name, { peak, own }]) => `${name} ${gigabytes(peak)} (${gigabytes(own)})`)
    .join(', ')
}

function describeMachine({ environment }: FullsizeModel): string {
  const { cpu, threads, date, load = Number.NaN, load_after: after = Number.NaN } = environment
  return `${date.slice(0, 10)}, ${cpu}, ${threads} threads, load ${load.toFixed(1)} to ${after.toFixed(1)}`
}

function countTokens({ count_tokens: counted }: FullsizeModel): string {
  return counted ? `${seconds(counted.ms)}, ${gigabytes(counted.grown)} more` : ''
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(2)} GB`
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
}
