import type { Manifest } from '../../src/decide/manifest.ts'
import { groupBy, measure, type Metrics } from '../../src/evaluate/metrics.ts'
import { type Answered, type AnsweredRows, calibrated } from './answer-rows.ts'
import { fitCalibration, type Sample } from './fit-calibration.ts'

/** Characters of a state from which on a group of lengths begins. */
const LENGTHS = [0, 400, 900, 2500]

/** Figures of some answers, in all and by group. */
export interface Figures {
  readonly overall: Metrics
  readonly types: Record<string, Metrics>
  readonly families: Record<string, Metrics>
  readonly sources: Record<string, Metrics>
}

export function figures(answered: readonly Answered[]): Figures {
  return {
    overall: measure(answered),
    types: measureBy(answered, typeOf),
    families: measureBy(answered, ({ family }) => family),
    sources: measureBy(answered, ({ source }) => source),
  }
}

/** Questions with one window as what a calibration is fitted to. */
export function samplesOf(answered: readonly Answered[]): Sample[] {
  return answered.flatMap(({ type, source, windows, gold }) =>
    windows.length === 1 && windows[0] ? [{ type, source, logits: [...windows[0]], gold }] : [],
  )
}

/** Figures of every second question, with temperatures and bias fitted to the others. */
export function halfFitted(answered: readonly Answered[], manifest: Manifest) {
  const samples = samplesOf(answered.filter((_, index) => index % 2 === 0))
  const fitted = { ...fitCalibration(samples), samples: samples.length, ece: 0 }
  const others = calibrated(
    answered.filter((_, index) => index % 2 === 1),
    { ...manifest, calibration: fitted },
  )
  return { fittedTo: samples.length, overall: measure(others), types: measureBy(others, typeOf) }
}

/** Figures by the length of the state, each by held-out part and type. */
export function byLength(answered: readonly Answered[]) {
  return Object.fromEntries(
    LENGTHS.map((from, index) => {
      const to = LENGTHS[index + 1] ?? Infinity
      const members = answered.filter(({ request: { state } }) => {
        const length = (typeof state === 'string' ? state : JSON.stringify(state)).length
        return length >= from && length < to
      })
      return [
        to === Infinity ? `from ${from} characters` : `${from} to ${to - 1} characters`,
        measureBy(members, typeOf),
      ]
    }),
  )
}

export type CardReport = ReturnType<typeof cardReport>

/** Everything that a model's card says of its quality. */
export function cardReport(
  developer: AnsweredRows,
  everyday: readonly Answered[],
  probes: readonly Answered[],
  manifest: Manifest,
) {
  const { asked, changed } = developer.order
  const outcomes = calibrated(developer.answered, manifest)
  return {
    ...(asked > 0 && { order: { asked, changed: changed / asked } }),
    ...figures(outcomes),
    halfFitted: halfFitted(developer.answered, manifest),
    lengths: byLength(outcomes),
    everyday: figures(calibrated(everyday, manifest)),
    probes: measureBy(calibrated(probes, manifest), ({ source }) => source),
  }
}

/** Metrics of each group of answers, by the group's name, in alphabetical order. */
function measureBy(answered: readonly Answered[], name: (one: Answered) => string): Record<string, Metrics> {
  const sorted = [...groupBy(answered, name)].toSorted(([a], [b]) => a.localeCompare(b))
  return Object.fromEntries(sorted.map(([key, members]) => [key, measure(members)]))
}

function typeOf({ heldout, type }: Answered): string {
  return heldout ? `${heldout} ${type}` : type
}
