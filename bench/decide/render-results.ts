import type { Comparison } from '../measure/compare-pairs.ts'
import { ms, percent, table } from '../report/markdown.ts'
import type { ModelFigures } from './measure-model.ts'
import type { DecideResults } from './results.ts'

/** The results as Markdown tables. */
export function renderResults({ peak, cold_start: cold, models }: DecideResults): string {
  const fp32 = peak.float32.max
  const int8 = peak.int8_blocks.max
  return [
    '## One call with 16 questions, and 16 calls',
    tableSharing(models),
    '## Engine against bare onnxruntime',
    `The same graphs on the same feeds in a thread like the engine's, with nothing around \`session.run\`, in sessions with the
options of the engine's. One call of each in turns; the overhead is the median over the pairs, with its 95 % interval. On a
machine with other work even processor time varies by tens of percent from call to call. "Spinning" are sessions whose
threads spin while they wait, as onnxruntime does by default and this library does not. The parts are measured in calls of
their own, inside the computing thread, and in percent of the bare time.`,
    tableOverhead(models),
    '## Reading the state',
    `Peak here, in products of 1,024 × 2,560 × 2,560: fp32 ${fp32.toFixed(0)}, int8 in blocks ${int8.toFixed(0)}, ` +
      `int8 quantised as a whole ${peak.int8_dynamic.max.toFixed(0)} GFLOP/s. Work counted: twice the weights, and the causal half of attention.`,
    tablePrefill(models, peak),
    'Tokens of the embedded model include what its overlapping windows read twice.',
    '## A fresh process',
    tableColdStart(cold),
    'The built library and the embedded model, two questions on a short state; files in the cache of the system.',
  ].join('\n\n')
}

function tableSharing(models: DecideResults['models']): string {
  return table(
    ['model', 'state', 'question', 'one call', '16 calls', 'faster'],
    models.map(({ state_tokens: state, question_tokens: question, sharing, ...model }) => [
      title(model),
      `${state} tokens`,
      `${question.toFixed(0)} tokens`,
      ms(sharing.together),
      ms(sharing.separate),
      `**${sharing.ratio.toFixed(1)}×**`,
    ]),
  )
}

function tableOverhead(models: DecideResults['models']): string {
  return table(
    [
      'model',
      'engine',
      'bare',
      'overhead, time',
      'overhead, processor time',
      'bare, spinning',
      'tokenising',
      'feeds',
      'readout, cache, rest',
      'messages',
    ],
    models.map(({ overhead, parts, messaging, ...model }) => {
      const { time, processor, spinning } = overhead
      const share = (value: number) => percent(value / time.second.median, 1)
      return [
        title(model),
        ms(time.first),
        ms(time.second),
        `**${spread(time)}**`,
        `**${spread(processor)}**`,
        ms(spinning),
        share(parts.plan.median),
        share(parts.feeds.median),
        share(parts.rest.median),
        share(messaging),
      ]
    }),
  )
}

function tablePrefill(models: DecideResults['models'], peak: DecideResults['peak']): string {
  return table(
    ['model', 'tokens', 'time', 'tokens/s', 'GFLOP/s', 'of fp32 peak', 'of int8 peak', 'then the questions'],
    models.map(({ prefill, branch, ...model }) => [
      title(model),
      String(prefill.tokens),
      ms(prefill.time),
      prefill.tokens_per_s.toFixed(0),
      prefill.gflops.toFixed(0),
      percent(prefill.gflops / peak.float32.max),
      percent(prefill.gflops / peak.int8_blocks.max),
      ms(branch),
    ]),
  )
}

function tableColdStart(cold: DecideResults['cold_start']): string {
  return table(
    ['import', 'createEngine', 'first answer', 'next answer', 'first answer since process start', 'resident'],
    [
      [
        ms(cold.import_ms),
        ms(cold.create_ms),
        ms(cold.first_ms),
        ms(cold.next_ms),
        ms(cold.total_ms),
        `${cold.resident_mib.median.toFixed(0)} MiB`,
      ],
    ],
  )
}

function spread({ percent: { median, runs }, interval: [low, high] }: Comparison): string {
  return `${median.toFixed(1)} % (${low.toFixed(1)} to ${high.toFixed(1)}, ${runs} pairs)`
}

function title({ name, layers }: Pick<ModelFigures, 'name' | 'layers'>): string {
  return `${name}, ${layers} layers`
}
