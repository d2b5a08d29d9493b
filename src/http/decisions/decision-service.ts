import { AbortedError } from '../../errors/index.ts'
import type { Engine } from '../../engine/index.ts'
import type { DecisionRequest, DecisionResponse } from '../../schemas/index.ts'
import type { ServerMetrics } from '../metrics/server-metrics.ts'
import type { Call } from '../route.ts'
import { isLimited, type Ledger } from '../usage/ledger.ts'

export interface DecisionService {
  /** Answers a validated request and charges it to the caller, once, if and only if it was answered. */
  decide(request: DecisionRequest, call: Pick<Call, 'caller' | 'signal'>): Promise<DecisionResponse>
}

interface Parts {
  readonly engine: Pick<Engine, 'decide' | 'countTokens'>
  readonly ledger: Ledger
  readonly metrics: ServerMetrics
}

export function createDecisionService({ engine, ledger, metrics }: Parts): DecisionService {
  async function answer(request: DecisionRequest, { caller, signal }: Pick<Call, 'caller' | 'signal'>) {
    const response = await engine.decide(request, { signal, client: caller.id })
    // An answer that nobody waits for any more is not charged.
    if (signal.aborted) throw new AbortedError(undefined, { cause: signal.reason })
    return response
  }

  async function answerWithin(request: DecisionRequest, call: Pick<Call, 'caller' | 'signal'>) {
    const { caller, signal } = call
    const { input_tokens } = await engine.countTokens(request, { signal, client: caller.id })
    const reservation = await ledger.reserve(caller, 'decisions', input_tokens)
    try {
      const response = await answer(request, call)
      await reservation.settle(response.usage.input_tokens)
      return response
    } catch (error) {
      await reservation.release()
      throw error
    }
  }

  return {
    async decide(request, call) {
      const limited = isLimited(call.caller)
      const response = await (limited ? answerWithin : answer)(request, call)
      const { input_tokens } = response.usage
      if (!limited) await ledger.record(call.caller, 'decisions', input_tokens)
      metrics.answered('decisions', input_tokens)
      return response
    },
  }
}
