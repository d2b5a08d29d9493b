import type { Manifest } from '../../src/decide/manifest.ts'
import type { Metrics } from '../../src/evaluate/metrics.ts'
import { table } from '../report/markdown.ts'
import type { CardReport } from './card-report.ts'
import { TARGETS } from './targets.ts'

/** Below so many questions a source says too little to be named. */
const ENOUGH = 20

/** What stands between the marks of a card, by the name of the mark. */
export function cardTables(report: CardReport, manifest: Manifest): Record<string, string> {
  return {
    types: typeTable(report),
    short: shortTable(report),
    targets: targetTable(report),
    below: belowMajority(report),
    everyday: groupTable({ all: report.everyday.overall, ...report.everyday.types, ...report.everyday.sources }),
    'everyday line': `On ${report.everyday.overall.n} everyday questions (bench/eval-decide/everyday.jsonl), written by hand, it is right ${fixed(report.everyday.overall.accuracy, 2)} of the time, the majority answer ${fixed(report.everyday.overall.majority, 2)}.`,
    probes: groupTable(report.probes),
    lengths: lengthTable(report),
    families: groupTable(report.families),
    calibration: calibrationText(manifest),
  }
}

function typeTable({ types, overall, halfFitted }: CardReport): string {
  return table(
    [
      'kind',
      'questions',
      'accuracy',
      'majority answer',
      'Brier',
      'ECE',
      'ECE, fitted on half',
      'MAE',
      'rank correlation',
    ],
    Object.entries({ ...types, all: overall }).map(([name, figures]) => [
      name,
      String(figures.n),
      fixed(figures.accuracy),
      fixed(figures.majority),
      fixed(figures.brier),
      fixed(figures.ece),
      fixed((halfFitted.types[name] ?? halfFitted.overall).ece),
      name === 'all' ? '' : fixed(figures.mae, 2),
      name === 'all' ? '' : fixed(figures.rankCorrelation, 2),
    ]),
  )
}

function shortTable({ types, halfFitted }: CardReport): string {
  return table(
    ['kind', 'questions', 'accuracy', 'majority', 'ECE', 'ECE, fitted on half'],
    Object.entries(types).map(([name, { n, accuracy, majority, ece }]) => [
      name,
      String(n),
      fixed(accuracy),
      fixed(majority),
      fixed(ece),
      fixed(halfFitted.types[name]?.ece),
    ]),
  )
}

function targetTable(report: CardReport): string {
  return table(
    ['target', 'wanted', 'reached', 'missing', '0.12.0'],
    TARGETS.map(({ name, wanted, atMost, before, read }) => {
      const reached = read(report)
      const missing = reached === undefined ? Number.NaN : atMost ? reached - wanted : wanted - reached
      const said = missing <= 0 ? '**none**' : fixed(missing)
      return [
        name,
        `${atMost ? '≤' : '≥'} ${wanted}`,
        fixed(reached),
        Number.isNaN(missing) ? 'not measured' : said,
        fixed(before),
      ]
    }),
  )
}

/** Sources whose questions are answered no better than by always giving the most frequent answer. */
function belowMajority({ sources, families }: CardReport): string {
  const worse = (groups: Record<string, Metrics>) =>
    Object.entries(groups)
      .filter(([, { n, accuracy, majority }]) => n >= ENOUGH && accuracy <= majority)
      .map(
        ([name, { n, accuracy, majority }]) =>
          `${name.replace(/^natural-instructions\//, '')} (${fixed(accuracy, 2)} of ${n}; ${fixed(majority, 2)})`,
      )
  const [wrong, kinds] = [worse(sources), worse(families)]
  const count = Object.values(sources).filter(({ n }) => n >= ENOUGH).length
  const whole = kinds.length === 0 ? 'No family is as a whole.' : `Of the families as a whole: ${kinds.join(', ')}.`
  return `${wrong.length} of the ${count} sources with ${ENOUGH} questions and more are not above the majority answer (its share behind the semicolon): ${wrong.join(', ')}. ${whole}`
}

function groupTable(groups: Record<string, Metrics>): string {
  return table(
    ['group', 'questions', 'accuracy', 'majority answer', 'Brier', 'ECE', 'MAE', 'rank correlation'],
    Object.entries(groups).map(([name, { n, accuracy, majority, brier, ece, mae, rankCorrelation }]) => [
      name.replace('probe: ', ''),
      String(n),
      fixed(accuracy, 2),
      fixed(majority, 2),
      fixed(brier, 2),
      fixed(ece, 2),
      fixed(mae, 2),
      fixed(rankCorrelation, 2),
    ]),
  )
}

function lengthTable({ lengths, types }: CardReport): string {
  const names = Object.keys(types)
  return table(
    ['characters', ...names],
    Object.entries(lengths).map(([length, byType]) => [
      length.replace(' characters', ''),
      ...names.map((name) => {
        const figures = byType[name]
        return figures ? `${fixed(figures.accuracy, 2)} (${fixed(figures.majority, 2)}) ${figures.n}` : ''
      }),
    ]),
  )
}

function calibrationText({ calibration }: Manifest): string {
  if (calibration === undefined) return 'No calibration is fitted.'
  const { temperature, noul_bias: bias, samples } = calibration
  const buckets = (by: Record<string, number>) =>
    Object.entries(by)
      .map(([bucket, value]) => `${bucket}: ${fixed(value, 2)}`)
      .join(', ')
  return `Temperatures (yes/no ${fixed(temperature.noul, 2)}; choice by number of options ${buckets(temperature.choice)}; score by number of levels ${buckets(temperature.score)}) and a yes bias of ${fixed(bias)} logits were fitted on ${samples} questions of the same set.`
}

function fixed(value: number | undefined, digits = 3): string {
  return value === undefined ? '' : value.toFixed(digits)
}
