import { setTimeout } from 'node:timers/promises'
import { type Summary, summarize } from '../../src/cli/bench/statistics.ts'

/** Threads of one runtime may still spin for work when its call has returned; they must not slow down the next one. */
const PAUSE_MS = 50

/**
 * Times several ways of doing the same, in turns, so that a change of the machine's speed meets all of them. The first round
 * warms up and is not counted.
 *
 * @param clock milliseconds; @defaultValue the time of day
 */
export async function timeAlternating<Name extends string>(
  ways: Readonly<Record<Name, () => Promise<unknown>>>,
  runs: number,
  clock = () => performance.now(),
): Promise<Record<Name, Summary>> {
  const names = Object.keys(ways) as Name[]
  const times = new Map<Name, number[]>(names.map((name) => [name, []]))
  for (let round = 0; round <= runs; round++) {
    for (const name of names) {
      await setTimeout(PAUSE_MS)
      const started = clock()
      await ways[name]()
      if (round > 0) times.get(name)?.push(clock() - started)
    }
  }
  return Object.fromEntries(names.map((name) => [name, summarize(times.get(name) ?? [])])) as Record<Name, Summary>
}
