import { type Summary, summarize } from '../../src/cli/bench/statistics.ts'
import type { Decider } from '../../src/decide/index.ts'
import type { DecisionRequest } from '../../src/schemas/index.ts'
import type { Pass, Recording } from './record-passes.ts'

/** Where the time of a call goes inside the computing thread. */
export interface CallParts {
  /** Tokenising, rendering and cutting into windows. */
  readonly plan: Summary
  /** Ids, positions and the attention bias of every pass. */
  readonly feeds: Summary
  /** Runs of the graphs. */
  readonly run: Summary
  /** The remainder: allocating and clearing the cache, readout, calibration, answers. */
  readonly rest: Summary
  readonly total: Summary
}

export interface Trace {
  readonly parts: CallParts
  /** Time of all prefill passes of a call. */
  readonly prefill: Summary
  /** Time of all branch passes of a call. */
  readonly branch: Summary
  /** The passes of the last call. */
  readonly passes: readonly Pass[]
}

/** Of a language model's passes these give out keys alone; of a tree's they are those of tokens of which none is read. */
export function isPrefill({ outputs = [], feeds }: Pass): boolean {
  return outputs.includes('key.0') || ('input_ids' in feeds && !('rows' in feeds))
}

/** Calls `decide` `runs` times, after one call that is not counted, over a decider whose backend is being recorded. */
export async function traceCalls(
  decider: Decider,
  recording: Recording,
  request: DecisionRequest,
  runs: number,
): Promise<Trace> {
  const { passes } = recording
  const times = { plan: [], feeds: [], run: [], rest: [], total: [], prefill: [], branch: [] } as Record<
    keyof CallParts | 'prefill' | 'branch',
    number[]
  >
  for (let call = 0; call <= runs; call++) {
    passes.length = 0
    const turns: number[] = []
    const started = performance.now()
    await decider.decide(request, { turn: async () => void turns.push(performance.now()) })
    const total = performance.now() - started
    if (call === 0) continue
    const plan = (turns[0] ?? started) - started
    // A turn is followed by the making of its feeds, then by its pass.
    const feeds = turns.reduce(
      (sum, turn) => sum + (passes.find(({ started }) => started >= turn)?.started ?? turn) - turn,
      0,
    )
    const prefill = duration(passes.filter(isPrefill))
    const run = duration(passes)
    const measured = { plan, feeds, run, rest: total - plan - feeds - run, total, prefill, branch: run - prefill }
    for (const [name, value] of Object.entries(measured)) times[name as keyof typeof measured].push(value)
  }
  const { plan, feeds, run, rest, total, prefill, branch } = times
  return {
    parts: {
      plan: summarize(plan),
      feeds: summarize(feeds),
      run: summarize(run),
      rest: summarize(rest),
      total: summarize(total),
    },
    prefill: summarize(prefill),
    branch: summarize(branch),
    passes: [...passes],
  }
}

function duration(passes: readonly Pass[]): number {
  return passes.reduce((sum, { started, ended }) => sum + ended - started, 0)
}
