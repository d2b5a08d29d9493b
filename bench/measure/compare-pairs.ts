import { setTimeout } from 'node:timers/promises'
import { type Summary, summarize } from '../../src/cli/bench/statistics.ts'

/** Milliseconds of one run. */
export interface Cost {
  readonly time: number
  /** Processor time of all threads of the process: other programs hardly change it. */
  readonly processor: number
}

/** Two ways of doing the same. */
export interface Comparison {
  readonly first: Summary
  readonly second: Summary
  /** By how many percent the first took longer than the second, pair by pair. */
  readonly percent: Summary
  /** Where the median of all such pairs lies with 95 % confidence, whatever they are distributed like. */
  readonly interval: readonly [low: number, high: number]
}

/** Between calls: what one leaves behind, garbage for one, must not slow the next one down. */
const PAUSE_MS = 50

export async function measureCost(work: () => Promise<unknown>): Promise<Cost> {
  const [started, used] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(used)
  return { time: performance.now() - started, processor: (user + system) / 1000 }
}

/**
 * Runs both ways one after the other, each first in every second pair, for at least `pairs` pairs and `leastMs`
 * milliseconds. Whatever else the machine does meets both of a pair, so their ratio says more than that of two medians.
 * The first pair warms up and is not counted.
 */
export async function comparePairs(
  first: () => Promise<Cost>,
  second: () => Promise<Cost>,
  { pairs, leastMs }: { pairs: number; leastMs: number },
): Promise<Readonly<Record<keyof Cost, Comparison>>> {
  const costs: (readonly [first: Cost, second: Cost])[] = []
  const runAfterPause = async (work: () => Promise<Cost>) => {
    await setTimeout(PAUSE_MS)
    return work()
  }
  const started = performance.now()
  for (let pair = 0; pair <= pairs || performance.now() - started < leastMs; pair++) {
    const early = await runAfterPause(pair % 2 === 0 ? first : second)
    const late = await runAfterPause(pair % 2 === 0 ? second : first)
    if (pair > 0) costs.push(pair % 2 === 0 ? [early, late] : [late, early])
  }
  const compare = (of: keyof Cost): Comparison => ({
    first: summarize(costs.map(([cost]) => cost[of])),
    second: summarize(costs.map(([, cost]) => cost[of])),
    ...comparePercent(costs.map(([a, b]) => 100 * (a[of] / b[of] - 1))),
  })
  return { time: compare('time'), processor: compare('processor') }
}

/**
 * Of n values as many lie below the median of all as heads fall in n tosses of a coin: n/2, give or take 0.98·√n in 95 of 100
 * cases. So the values at these ranks are the interval.
 */
function comparePercent(percents: readonly number[]): Pick<Comparison, 'percent' | 'interval'> {
  const sorted = percents.toSorted((a, b) => a - b)
  const reach = 0.98 * Math.sqrt(sorted.length)
  const low = Math.max(0, Math.round(sorted.length / 2 - reach) - 1)
  const high = Math.min(sorted.length - 1, Math.round(sorted.length / 2 + reach))
  return { percent: summarize(percents), interval: [sorted[low] ?? Number.NaN, sorted[high] ?? Number.NaN] }
}
