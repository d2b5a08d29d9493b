import { AbortedError } from '../../errors/index.ts'
import type { ServerMetrics } from '../metrics/server-metrics.ts'
import type { Call } from '../route.ts'
import { type Claim, digest, type IdempotentRequests } from './idempotent-requests.ts'
import type { Ledger } from './ledger.ts'
import type { Endpoint } from './prices.ts'

/** Who asks, and until when. */
export type Asking = Pick<Call, 'caller' | 'signal' | 'noteUnits' | 'noteTimings' | 'idempotencyKey'>

export interface Accounting {
  readonly ledger: Ledger
  readonly requests: IdempotentRequests
  readonly metrics: ServerMetrics
}

export interface Charge<Answer> {
  readonly endpoint: Endpoint
  /** The request itself, to know it again by. */
  readonly request: object
  /** Units that the answer will use at most; asked only where the caller can run out. */
  foresee(signal: AbortSignal): Promise<number> | number
  answer(signal: AbortSignal): Promise<Answer>
  /** Units that an answer used. */
  count(answer: Answer): number
}

/**
 * Makes an answer and charges it to the caller, once, if and only if it was made while the caller still waited.
 *
 * @throws InsufficientQuotaError and StoreUnavailableError before the work begins; Refusal (409) for an
 *   `Idempotency-Key` of another request; AbortedError; what `answer` throws
 */
export function chargeAnswer<Answer>(
  { ledger, requests, metrics }: Accounting,
  { caller, signal, noteUnits, idempotencyKey: key }: Asking,
  charge: Charge<Answer>,
): Promise<Answer> {
  const { endpoint } = charge

  async function answer(ended: AbortSignal): Promise<Answer> {
    const made = await charge.answer(ended)
    // An answer that nobody waits for any more is not charged.
    if (ended.aborted) throw new AbortedError(undefined, { cause: ended.reason })
    return made
  }

  async function answerAndCharge(ended: AbortSignal, claim?: Claim): Promise<Answer> {
    const foresee = () => charge.foresee(ended)
    const reservation = await ledger.reserve(caller, { endpoint, foresee, ...(claim && { charge: claim.charge }) })
    try {
      const made = await answer(ended)
      const units = charge.count(made)
      const isCharged = await reservation.settle(units)
      if (claim && isCharged && (await claim.conclude())) ledger.forget(caller.id, claim.charge)
      metrics.answered(endpoint, units)
      noteUnits(units)
      return made
    } catch (error) {
      await reservation.release()
      throw error
    }
  }

  if (key === undefined) return answerAndCharge(signal)
  const body = digest(`${endpoint}\n${JSON.stringify(charge.request)}`)
  return requests.run({ account: caller.id, key, body }, signal, (ended, claim) =>
    claim ? answerAndCharge(ended, claim) : answer(ended),
  )
}
