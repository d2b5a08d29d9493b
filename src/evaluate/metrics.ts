import { chanceDeviation } from './chance-error.ts'
import { isRight, type Outcome } from './outcome.ts'
import { rankCorrelation } from './rank-correlation.ts'
import { wilsonInterval } from './threshold.ts'

/** Figures of answers that have labels. */
export interface Metrics {
  /** Labelled questions. */
  readonly n: number
  /** Share whose most probable option is the right one. */
  readonly accuracy: number
  /**
   * Half of the width of the accuracy's 95 % interval (Wilson's), which also has a width where all or none are right. Its middle is nearer to 0.5 than the
   * accuracy is: of 20 right answers of 20 it reaches from 0.839 to 1, a margin of 0.081.
   */
  readonly margin: number
  /** The accuracy of always giving the most frequent right answer: the same option of the same question type and size. */
  readonly majority: number
  /** Sum of squared errors over options, 0 to 2, mean over questions. */
  readonly brier: number
  /** Expected calibration error of the winning option's probability, 15 equal-width bins. */
  readonly ece: number
  /**
   * What `ece` would be in the mean on as many answers of the same probabilities if all of these were right. It falls with the number
   * of answers; an `ece` that is not well above it says nothing against the probabilities.
   */
  readonly eceByChance: number
  /** Scores only: mean distance between the expected and the right level, in levels. */
  readonly mae?: number
  /** Scores only: Spearman's rank correlation of expected and right levels, −1 to 1. */
  readonly rankCorrelation?: number
}

const BINS = 15

/** A bin of answers whose winning option was about equally probable. */
export interface ReliabilityBin {
  /** Answers of the bin. */
  readonly n: number
  /** Mean probability of the winning option. */
  readonly confidence: number
  /** Share of them that are right. */
  readonly accuracy: number
}

/** Answers by the probability of their winning option, in bins of equal width; empty bins are left out. */
export function reliabilityBins(outcomes: readonly Outcome[]): ReliabilityBin[] {
  return binned(outcomes).map((members) => ({
    n: members.length,
    confidence: mean(members.map(topOf)),
    accuracy: shareRight(members),
  }))
}

function binned(outcomes: readonly Outcome[]): Outcome[][] {
  const bins = Array.from({ length: BINS }, (): Outcome[] => [])
  for (const outcome of outcomes) bins[Math.min(BINS - 1, Math.floor(topOf(outcome) * BINS))]!.push(outcome)
  return bins.filter((members) => members.length > 0)
}

function shareRight(outcomes: readonly Outcome[]): number {
  return mean(outcomes.map((outcome) => (isRight(outcome) ? 1 : 0)))
}

function topOf({ probabilities }: Outcome): number {
  return Math.max(...probabilities)
}

export function measure(outcomes: readonly Outcome[]): Metrics {
  const n = outcomes.length
  const right = outcomes.filter(isRight).length
  const [low, high] = wilsonInterval(right, n)
  const scores = outcomes.filter(({ type }) => type === 'score')
  return {
    n,
    accuracy: right / n,
    margin: (high - low) / 2,
    majority: majority(outcomes),
    brier: mean(outcomes.map(brier)),
    ece: reliabilityBins(outcomes).reduce((sum, bin) => sum + (bin.n / n) * Math.abs(bin.confidence - bin.accuracy), 0),
    eceByChance: binned(outcomes).reduce((sum, members) => sum + chanceDeviation(members.map(topOf)), 0) / n,
    ...(scores.length > 0 && measureLevels(scores)),
  }
}

/** The outcomes of each name, in the order in which the names come first. */
export function groupBy<T>(outcomes: readonly T[], name: (outcome: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const outcome of outcomes) {
    const group = groups.get(name(outcome))
    if (group) group.push(outcome)
    else groups.set(name(outcome), [outcome])
  }
  return groups
}

function measureLevels(scores: readonly Outcome[]): Pick<Metrics, 'mae' | 'rankCorrelation'> {
  const expected = scores.map(({ probabilities }) => probabilities.reduce((sum, p, level) => sum + p * level, 0))
  const right = scores.map(({ gold }) => gold)
  const correlation = rankCorrelation(expected, right)
  return {
    mae: mean(expected.map((level, index) => Math.abs(level - right[index]!))),
    ...(correlation !== undefined && { rankCorrelation: correlation }),
  }
}

function brier({ probabilities, gold }: Outcome): number {
  return probabilities.reduce((sum, p, index) => sum + (p - (index === gold ? 1 : 0)) ** 2, 0)
}

/** For nouls the more frequent of yes and no; for others the most frequent index among questions with as many options. */
function majority(outcomes: readonly Outcome[]): number {
  const counts = new Map<string, number[]>()
  for (const { type, probabilities, gold } of outcomes) {
    const key = `${type}${probabilities.length}`
    const tally = counts.get(key) ?? probabilities.map(() => 0)
    tally[gold]!++
    counts.set(key, tally)
  }
  return [...counts.values()].reduce((sum, tally) => sum + Math.max(...tally), 0) / outcomes.length
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
