/** One answered, labelled question. */
export interface Outcome {
  readonly type: 'noul' | 'choice' | 'score'
  readonly probabilities: readonly number[]
  /** Index of the right option. */
  readonly gold: number
}

export interface Metrics {
  n: number
  accuracy: number
  /** What always giving the most frequent right answer would score: the same option of the same question type and size. */
  majority: number
  /** Sum of squared errors over options, 0 to 2, mean over questions. */
  brier: number
  /** Expected calibration error of the winning option's probability, 15 equal-width bins. */
  ece: number
  /** score questions only: mean distance between the expected and the right level. */
  mae?: number
}

const BINS = 15

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function argmax(values: readonly number[]): number {
  return values.indexOf(Math.max(...values))
}

export function expectedCalibrationError(outcomes: readonly Outcome[]): number {
  const bins = Array.from({ length: BINS }, () => ({ confidence: 0, right: 0 }))
  for (const { probabilities, gold } of outcomes) {
    const top = Math.max(...probabilities)
    const bin = bins[Math.min(BINS - 1, Math.floor(top * BINS))]
    if (!bin) continue
    bin.confidence += top
    bin.right += argmax(probabilities) === gold ? 1 : 0
  }
  return bins.reduce((sum, { confidence, right }) => sum + Math.abs(confidence - right), 0) / outcomes.length
}

/** noul: the more frequent of yes and no. Others: the most frequent index among questions with as many options. */
function majority(outcomes: readonly Outcome[]): number {
  const counts = new Map<string, number[]>()
  for (const { type, probabilities, gold } of outcomes) {
    const key = `${type}${probabilities.length}`
    const tally = counts.get(key) ?? probabilities.map(() => 0)
    tally[gold] = (tally[gold] ?? 0) + 1
    counts.set(key, tally)
  }
  return [...counts.values()].reduce((sum, tally) => sum + Math.max(...tally), 0) / outcomes.length
}

export function measure(outcomes: readonly Outcome[]): Metrics {
  const scores = outcomes.filter(({ type }) => type === 'score')
  const distance = ({ probabilities, gold }: Outcome) => Math.abs(probabilities.reduce((sum, p, index) => sum + p * index, 0) - gold)
  const metrics: Metrics = {
    n: outcomes.length,
    accuracy: mean(outcomes.map(({ probabilities, gold }) => (argmax(probabilities) === gold ? 1 : 0))),
    majority: majority(outcomes),
    brier: mean(outcomes.map(({ probabilities, gold }) => probabilities.reduce((sum, p, index) => sum + (p - (index === gold ? 1 : 0)) ** 2, 0))),
    ece: expectedCalibrationError(outcomes),
  }
  return scores.length > 0 ? { ...metrics, mae: mean(scores.map(distance)) } : metrics
}

/** Metrics of each group of outcomes, by the group's name, in alphabetical order. */
export function measureBy<T extends Outcome>(outcomes: readonly T[], name: (outcome: T) => string): Record<string, Metrics> {
  const groups = new Map<string, T[]>()
  for (const outcome of outcomes) {
    const group = groups.get(name(outcome))
    if (group) group.push(outcome)
    else groups.set(name(outcome), [outcome])
  }
  return Object.fromEntries([...groups].sort(([a], [b]) => a.localeCompare(b)).map(([key, members]) => [key, measure(members)]))
}
