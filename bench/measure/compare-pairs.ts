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
  first: () => Promise<Cost>, second: () => Promise<Cost>, { pairs, leastMs }: { pairs: number; leastMs: number },
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
    percent: summarize(costs.map(([a, b]) => 100 * (a[of] / b[of] - 1))),
  })
  return { time: compare('time'), processor: compare('processor') }
}
