import { asChecked } from '../../engine/calls/checked-calls.ts'
import type { Engine } from '../../engine/index.ts'
import { type DecisionRequest, type DecisionResponse, LIMITS, type OptionLimits } from '../../schemas/index.ts'
import { toCallOptions } from '../call-options.ts'
import { type Accounting, type Asking, chargeAnswer } from '../usage/charge-answer.ts'

export interface DecisionService {
  /** Answers a validated request and charges it to the caller, once, if and only if it was answered. */
  decide(request: DecisionRequest, call: Asking): Promise<DecisionResponse>
}

interface Parts extends Accounting, OptionLimits {
  /** Callers without keys are all one client, whose states are nobody's in particular: none are kept. */
  readonly hasKeys: boolean
  readonly engine: Pick<Engine, 'decide' | 'countTokens'>
}

export function createDecisionService({
  engine,
  hasKeys,
  maxOptions = LIMITS.options.max,
  ...accounting
}: Parts): DecisionService {
  return {
    decide(request, call) {
      const options = asChecked(request, { ...toCallOptions(call), keepState: hasKeys }, { maxOptions })
      return chargeAnswer(accounting, call, {
        endpoint: 'decisions',
        request,
        mayBeAbandoned: true,
        foresee: async (signal) => (await engine.countTokens(request, { signal, ...options })).input_tokens,
        async answer(signal, onProgress) {
          // These are for whoever calls in the process; the specification's answer has no place for them.
          const made = await engine.decide(request, { signal, onProgress, ...options })
          const { warnings: _, symbol_mass: _mass, ...answer } = made
          return answer
        },
        count: ({ usage }) => usage.input_tokens,
      })
    },
  }
}
