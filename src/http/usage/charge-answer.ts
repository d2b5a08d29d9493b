import { AbortedError } from '../../errors/index.ts'
import type { ServerMetrics } from '../metrics/server-metrics.ts'
import type { Call } from '../route.ts'
import { isLimited, type Ledger } from './ledger.ts'
import type { Endpoint } from './prices.ts'

/** Who asks, and until when. */
export type Asking = Pick<Call, 'caller' | 'signal' | 'noteUnits'>

export interface Accounting {
  readonly ledger: Ledger
  readonly metrics: ServerMetrics
}

export interface Charge<Answer> {
  readonly endpoint: Endpoint
  /** Units that the answer will use at most; asked only where the caller can run out. */
  foresee(): Promise<number> | number
  answer(): Promise<Answer>
  /** Units that an answer used. */
  count(answer: Answer): number
}

/**
 * Makes an answer and charges it to the caller, once, if and only if it was made while the caller still waited.
 *
 * @throws InsufficientQuotaError before the work begins; AbortedError; what `answer` throws
 */
export async function chargeAnswer<Answer>(
  { ledger, metrics }: Accounting,
  { caller, signal, noteUnits }: Asking,
  charge: Charge<Answer>,
): Promise<Answer> {
  const { endpoint } = charge

  async function answer(): Promise<Answer> {
    const made = await charge.answer()
    // An answer that nobody waits for any more is not charged.
    if (signal.aborted) throw new AbortedError(undefined, { cause: signal.reason })
    return made
  }

  async function answerWithin(): Promise<Answer> {
    const reservation = await ledger.reserve(caller, endpoint, await charge.foresee())
    try {
      const made = await answer()
      await reservation.settle(charge.count(made))
      return made
    } catch (error) {
      await reservation.release()
      throw error
    }
  }

  const limited = isLimited(caller)
  const made = await (limited ? answerWithin : answer)()
  const units = charge.count(made)
  if (!limited) await ledger.record(caller, endpoint, units)
  metrics.answered(endpoint, units)
  noteUnits(units)
  return made
}
