import { type Summary, summarize } from '../../src/cli/bench/statistics.ts'
import type { Engine } from '../../src/engine/index.ts'
import type { DecisionRequestInput } from '../../src/schemas/index.ts'
import { type Comparison, comparePairs, measureCost } from '../measure/compare-pairs.ts'
import { openBare } from './open-bare.ts'
import type { Recording } from './record-passes.ts'

/** Pairs of short calls are repeated for so long. */
const LEAST_MS = 120_000
const SPINNING_RUNS = 3

/** The engine's call, first, against nothing but the runs of the same graphs on the same feeds, in pairs. */
export interface Overhead {
  readonly time: Comparison
  readonly processor: Comparison
  /** Time of the same runs in sessions whose threads spin while they wait, as onnxruntime does by default. */
  readonly spinning: Summary
}

/**
 * Both sides compute in threads of this process, in sessions with the same options, on `threads` threads. The engine's
 * time is what its caller waits; the bare one's is taken around the runs, inside their thread.
 */
export async function measureOverhead(
  engine: Engine,
  request: DecisionRequestInput,
  recording: Recording,
  { threads, runs }: { readonly threads: number; readonly runs: number },
): Promise<Overhead> {
  const bare = await openBare(recording, { threads, spinning: false })
  const decide = () => measureCost(() => engine.decide(request))
  const compared = await comparePairs(decide, () => bare.replay(), { pairs: runs, leastMs: LEAST_MS })
  await bare.dispose()
  // Afterwards: its threads go on spinning after a run, and would take a processor from whatever is timed next.
  const spinner = await openBare(recording, { threads, spinning: true })
  const spinning: number[] = []
  for (let run = 0; run <= SPINNING_RUNS; run++) {
    const { time } = await spinner.replay()
    if (run > 0) spinning.push(time)
  }
  await spinner.dispose()
  return { ...compared, spinning: summarize(spinning) }
}
