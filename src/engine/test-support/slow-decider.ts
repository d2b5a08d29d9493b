import { setTimeout as sleep } from 'node:timers/promises'
import { AbortedError } from '../../errors/index.ts'
import type { DecisionRequestInput, DecisionResponse } from '../../schemas/index.ts'
import type { CallOptions } from '../calls/call-options.ts'

/** Answers after as many milliseconds as the state says, and counts what runs. */
export function createDecider() {
  const counts = { running: 0, most: 0, aborted: 0 }
  const decide = async ({ state }: DecisionRequestInput, { signal }: CallOptions): Promise<DecisionResponse> => {
    counts.most = Math.max(counts.most, ++counts.running)
    try {
      const { wait = 1, model = 'x' } = state as { wait?: number; model?: string }
      await sleep(wait, undefined, { signal: signal! })
      return { model, answers: {}, usage: { input_tokens: 0, output_tokens: 0 }, latency_ms: 0 }
    } catch (cause) {
      counts.aborted++
      throw new AbortedError(undefined, { cause })
    } finally {
      counts.running--
    }
  }
  return { counts, decide }
}
